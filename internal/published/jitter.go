package published

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Row is a published line of a jitter table, in microseconds.
type Row struct {
	Avg float64 `json:"avg"`
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// VxWorks is the published table of VxWorks, by the names of its items.
type VxWorks struct {
	Source       string         `json:"source"`
	Hardware     string         `json:"hardware"`
	Samples      int            `json:"samples"`
	Rows         map[string]Row `json:"-"`
	SecondTable  map[string]Row `json:"-"` // of another kind, see SecondRemark
	SecondRemark string         `json:"-"`
	Remarks      []string       `json:"remarks"`
}

// Xenomai is the published figures of Xenomai. The distributions are those of the kernel
// task and the user task, both under load.
type Xenomai struct {
	Source        string         `json:"source"`
	Hardware      string         `json:"hardware"`
	PeriodUS      int            `json:"period_us"`
	Load          string         `json:"load"`
	TimestampRead Row            `json:"bmTimestampRead"`
	Interrupt     map[string]Row `json:"interrupt"` // NoLoad, Load
	KernelTask    Distribution
	UserTask      Distribution
	Remarks       []string `json:"remarks"`
}

// Distribution is a published histogram with the figures of the same run. Bins are named
// by their centre; the first and the last one are printed with an edge instead.
type Distribution struct {
	Row
	BinUS   float64
	Samples uint64
	Mean    float64 // of the centres
	Bins    []Bin
}

// Bin is a centre, in microseconds, and a count.
type Bin struct {
	Centre float64
	Count  uint64
}

// UnmarshalJSON reads [centre, count].
func (b *Bin) UnmarshalJSON(data []byte) error {
	pair := [2]any{&b.Centre, &b.Count}
	return json.Unmarshal(data, &pair)
}

// LoadVxWorks reads the tables of VxWorks from the embedded data.
func LoadVxWorks() (VxWorks, error) {
	var all struct {
		VxWorks json.RawMessage `json:"vxworks"`
	}
	var v VxWorks
	var second struct {
		Table json.RawMessage `json:"second_table"`
	}
	var remark struct {
		Remark string `json:"remark"`
	}
	err := json.Unmarshal(raw, &all)
	for _, part := range []struct {
		data *json.RawMessage
		into any
	}{
		{&all.VxWorks, &v}, {&all.VxWorks, (*rows)(&v.Rows)}, {&all.VxWorks, &second},
		{&second.Table, &remark}, {&second.Table, (*rows)(&v.SecondTable)},
	} {
		if err == nil {
			err = json.Unmarshal(*part.data, part.into)
		}
	}
	if err != nil {
		return v, fmt.Errorf("published: %w", err)
	}
	v.SecondRemark = remark.Remark
	return v, nil
}

// rows is the fields of an object that are rows: their names begin with bm.
type rows map[string]Row

func (r *rows) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*r = rows{}
	for name, field := range fields {
		if !strings.HasPrefix(name, "bm") {
			continue
		}
		var row Row
		if err := json.Unmarshal(field, &row); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		(*r)[name] = row
	}
	return nil
}

// LoadXenomai reads the figures of Xenomai from the embedded data.
func LoadXenomai() (Xenomai, error) {
	type distribution struct {
		LinuxLoad Row
		Load      Row
		BinUS     float64 `json:"bin_us"`
		Bins      []Bin   `json:"histogram"`
		Samples   uint64  `json:"histogram_samples"`
		Mean      float64 `json:"histogram_mean_of_centres"`
	}
	var all struct {
		Xenomai struct {
			Xenomai
			Kernel distribution `json:"task_kernel"`
			User   distribution `json:"task_user"`
		} `json:"xenomai"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return Xenomai{}, fmt.Errorf("published: %w", err)
	}
	x := all.Xenomai.Xenomai
	k, u := all.Xenomai.Kernel, all.Xenomai.User
	x.KernelTask = Distribution{k.LinuxLoad, k.BinUS, k.Samples, k.Mean, k.Bins}
	x.UserTask = Distribution{u.Load, u.BinUS, u.Samples, u.Mean, u.Bins}
	return x, nil
}
