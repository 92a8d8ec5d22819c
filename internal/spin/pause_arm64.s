//go:build gc && !tinygo && !rtos_purego && !explore

#include "textflag.h"

// func Pause(n int)
TEXT ·Pause(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	CMP  $0, R0
	BLE  done

again:
	ISB  $15
	SUBS $1, R0, R0
	BNE  again

done:
	RET
