//go:build linux && race && gc && !tinygo && !rtos_purego

#include "textflag.h"

// func load(w *uint32) uint32
TEXT ·load(SB), NOSPLIT, $0-12
	MOVQ w+0(FP), BX
	MOVL (BX), AX
	MOVL AX, ret+8(FP)
	RET

// func store(w *uint32, v uint32)
TEXT ·store(SB), NOSPLIT, $0-12
	MOVQ  w+0(FP), BX
	MOVL  v+8(FP), AX
	XCHGL AX, (BX)
	RET

// func store64(w *int64, v int64)
TEXT ·store64(SB), NOSPLIT, $0-16
	MOVQ  w+0(FP), BX
	MOVQ  v+8(FP), AX
	XCHGQ AX, (BX)
	RET

// func swap(w *uint32, v uint32) uint32
TEXT ·swap(SB), NOSPLIT, $0-20
	MOVQ  w+0(FP), BX
	MOVL  v+8(FP), AX
	XCHGL AX, (BX)
	MOVL  AX, ret+16(FP)
	RET

// func cas(w *uint32, old, v uint32) bool
TEXT ·cas(SB), NOSPLIT, $0-17
	MOVQ w+0(FP), BX
	MOVL old+8(FP), AX
	MOVL v+12(FP), CX
	LOCK
	CMPXCHGL CX, (BX)
	SETEQ ret+16(FP)
	RET

// func add(w *uint32, d uint32) uint32
TEXT ·add(SB), NOSPLIT, $0-20
	MOVQ w+0(FP), BX
	MOVL d+8(FP), AX
	MOVL AX, CX
	LOCK
	XADDL AX, (BX)
	ADDL CX, AX
	MOVL AX, ret+16(FP)
	RET
