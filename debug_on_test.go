//go:build rtosdebug

package rtos_test

const debugging = true
