package realtime

import "math/bits"

const (
	mostCores = 1024
	wordBits  = bits.UintSize
)

// A mask is a set of cores, laid out as the system has it.
type mask [mostCores / wordBits]uint

func maskOf(cores ...int) (m mask) {
	for _, c := range cores {
		if 0 <= c && c < mostCores {
			m[c/wordBits] |= 1 << (c % wordBits)
		}
	}
	return m
}

func (m mask) has(core int) bool {
	return 0 <= core && core < mostCores && m[core/wordBits]&(1<<(core%wordBits)) != 0
}

func (m mask) or(o mask) mask {
	for i := range m {
		m[i] |= o[i]
	}
	return m
}

func (m mask) without(o mask) mask {
	for i := range m {
		m[i] &^= o[i]
	}
	return m
}

func (m mask) empty() bool { return m == mask{} }

func (m mask) count() (n int) {
	for _, w := range m {
		n += bits.OnesCount(w)
	}
	return n
}

// cores lists the set in ascending order.
func (m mask) cores() (list []int) {
	for i, w := range m {
		for ; w != 0; w &= w - 1 {
			list = append(list, i*wordBits+bits.TrailingZeros(w))
		}
	}
	return list
}
