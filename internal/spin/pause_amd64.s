//go:build gc && !tinygo && !rtos_purego && !explore

#include "textflag.h"

// func Pause(n int)
TEXT ·Pause(SB), NOSPLIT, $0-8
	MOVQ  n+0(FP), AX
	TESTQ AX, AX
	JLE   done

again:
	PAUSE
	SUBQ $1, AX
	JNZ  again

done:
	RET
