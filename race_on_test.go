//go:build race

package rtos_test

const racing = true
