//go:build gc && !tinygo && !rtos_purego && !explore

#include "textflag.h"

// func Pause(n int)
TEXT ·Pause(SB), NOSPLIT, $0-4
	MOVL  n+0(FP), AX
	TESTL AX, AX
	JLE   done

again:
	PAUSE
	SUBL $1, AX
	JNZ  again

done:
	RET
