//go:build linux && race && gc && !tinygo && !rtos_purego

#include "textflag.h"

// func load(w *uint32) uint32
TEXT ·load(SB), NOSPLIT, $0-12
	MOVD  w+0(FP), R0
	LDARW (R0), R1
	MOVW  R1, ret+8(FP)
	RET

// func store(w *uint32, v uint32)
TEXT ·store(SB), NOSPLIT, $0-12
	MOVD  w+0(FP), R0
	MOVW  v+8(FP), R1
	STLRW R1, (R0)
	RET

// func store64(w *int64, v int64)
TEXT ·store64(SB), NOSPLIT, $0-16
	MOVD w+0(FP), R0
	MOVD v+8(FP), R1
	STLR R1, (R0)
	RET

// func swap(w *uint32, v uint32) uint32
TEXT ·swap(SB), NOSPLIT, $0-20
	MOVD w+0(FP), R0
	MOVW v+8(FP), R1

again:
	LDAXRW (R0), R2
	STLXRW R1, (R0), R3
	CBNZ   R3, again
	MOVW   R2, ret+16(FP)
	RET

// func cas(w *uint32, old, v uint32) bool
TEXT ·cas(SB), NOSPLIT, $0-17
	MOVD w+0(FP), R0
	MOVW old+8(FP), R1
	MOVW v+12(FP), R2

again:
	LDAXRW (R0), R3
	CMPW   R1, R3
	BNE    done
	STLXRW R2, (R0), R4
	CBNZ   R4, again

done:
	CSET EQ, R0
	MOVB R0, ret+16(FP)
	RET

// func add(w *uint32, d uint32) uint32
TEXT ·add(SB), NOSPLIT, $0-20
	MOVD w+0(FP), R0
	MOVW d+8(FP), R1

again:
	LDAXRW (R0), R2
	ADDW   R1, R2, R2
	STLXRW R2, (R0), R3
	CBNZ   R3, again
	MOVW   R2, ret+16(FP)
	RET
