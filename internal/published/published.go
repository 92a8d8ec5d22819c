// Package published holds the figures of the published experiments which this
// project reproduces and prints beside its own.
package published

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed published.json
var raw []byte

// Counter is the published two-task, two-core counter experiment.
type Counter struct {
	Source       string   `json:"source"`
	Hardware     string   `json:"hardware"`
	Iterations   int      `json:"iterations_per_task"`
	Tasks        int      `json:"tasks"`
	Cores        int      `json:"cores"`
	Mutex        Way      `json:"mutex"`
	Notification Way      `json:"notification"`
	Claim        string   `json:"claim"`
	Remarks      []string `json:"remarks"`
}

// Way is one version of the counter experiment. PerOpUS divides the total by
// the iterations of one task, as published.
type Way struct {
	TotalMS    float64   `json:"total_ms"`
	PerOpUS    float64   `json:"per_op_us"`
	CPUPercent []float64 `json:"cpu_percent"`
}

// LoadCounter reads the counter experiment from the embedded data.
func LoadCounter() (Counter, error) {
	var all struct {
		Counter Counter `json:"counter"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return Counter{}, fmt.Errorf("published: %w", err)
	}
	return all.Counter, nil
}
