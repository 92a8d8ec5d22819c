#!/usr/bin/env bash
# Checks the models with spin: check.sh small (two minutes) or check.sh full.
# A line is: size, model, flags, and what must come out. The models with a step taken away must fail, or
# they would prove nothing.
set -u
cd "$(dirname "$0")"
size=${1:-small}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

check() { # size, expected, model, flags...
	local when=$1 want=$2 model=$3 got
	shift 3
	[ "$when" = small ] || [ "$size" = full ] || return 0
	cp "$model" "$work/m.pml"
	if ! (cd "$work" && spin -a "$@" m.pml >spin.log 2>&1 && gcc -w -O2 -DSAFETY -DCOLLAPSE -o pan pan.c &&
		./pan -m3000000 >pan.log 2>&1); then
		cat "$work/spin.log" "$work/pan.log"
	fi
	if grep -q 'errors: 0' "$work/pan.log" && ! grep -q 'error: max search depth' "$work/pan.log"; then got=ok; else got=error; fi
	if [ "$got" = "$want" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "model $model $*: want $want, got $got"
		tail -n 20 "$work/pan.log"
	fi
}

check small ok    mutex.pml -DN=2 -DR=2
check small ok    mutex.pml -DN=2 -DR=2 -DHANDOFF
check small ok    mutex.pml -DN=2 -DR=2 -DSTOPPED
check small error mutex.pml -DN=3 -DR=1 -DSTOPPED -DNOSETTLE
check full  ok    mutex.pml -DN=3 -DR=1
check full  ok    mutex.pml -DN=3 -DR=1 -DSTOPPED
check full  error mutex.pml -DN=3 -DR=1 -DBITFIRST
check full  ok    mutex.pml -DN=3 -DR=1 -DHANDOFF
check full  error mutex.pml -DN=3 -DR=1 -DHANDOFF -DNOADOPT
check full  ok    mutex2.pml
check full  ok    mutex2.pml -DHANDOFF
for flag in NESTLATE NESTEARLY NORESETTLE SIMPLE NOREPAIR; do
	check full error mutex2.pml -D$flag
done
check full  error mutex2.pml -DHANDOFF -DNOADOPT
check full  error mutex2.pml -DHANDOFF -DUNNESTLATE
check small ok    notify.pml
check full  ok    notify.pml -DSUM
for flag in SLOTFIRST PLAINEND NOLOOK NOEPOCH WAKEFIRST; do
	check small error notify.pml -D$flag
done
check small ok    notify.pml -DSTOPS -DK=1
check small error notify.pml -DSTOPS -DK=1 -DNOHELP
check small ok    notify.pml -DSUSPEND -DNA=0 -DNG=1
check small error notify.pml -DSUSPEND -DNA=0 -DNG=1 -DANYSLOT
check small ok    park.pml
for flag in NOLOOP SENDFIRST; do
	check small error park.pml -D$flag
done
check small ok    sem.pml -DNT=2 -DR=2 -DNG=1 -DNA=0
check small ok    sem.pml -DNT=2 -DR=1 -DNO=1 -DNG=2 -DNA=1
check small ok    sem.pml -DNT=2 -DR=1 -DNO=1 -DNG=2 -DNA=1 -DMAX=1
check full  ok    sem.pml -DNT=3 -DR=1 -DNO=1 -DNG=2 -DNA=0
for flag in NORETRY WORDFIRST PLAINLEAVE NOPASS SCANFIRST OBJFIRST; do
	check full error sem.pml -DNT=2 -DR=2 -DNG=2 -DNA=0 -D$flag
done
check small ok    slot.pml
check small error slot.pml -DSLOTWORD -DSLOTPW -DVERRESET
check full  ok    suspend.pml
check full  ok    suspend.pml -DSUSPEND
for flag in ASKFIRST NOPASS HEADASK FREEEARLY; do
	check full error suspend.pml -D$flag
done

echo "models: $passed passed, $failed failed"
[ "$failed" = 0 ]
