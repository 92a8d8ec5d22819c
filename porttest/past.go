package porttest

import (
	"math/rand/v2"
	"sync"

	"github.com/tickwake/rtos"
)

// pastWaits remembers limited waits that are over.
type pastWaits struct {
	mu      sync.Mutex
	present map[*rtos.Task]uint64
	over    []pastWait
}

type pastWait struct {
	t     *rtos.Task
	epoch uint64
}

const manyPastWaits = 64

func (w *pastWaits) armed(t *rtos.Task, epoch uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.present == nil {
		w.present = map[*rtos.Task]uint64{}
	}
	w.present[t] = epoch
}

func (w *pastWaits) disarmed(t *rtos.Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	past := pastWait{t, w.present[t]}
	delete(w.present, t)
	if len(w.over) < manyPastWaits {
		w.over = append(w.over, past)
	} else {
		w.over[rand.IntN(manyPastWaits)] = past
	}
}

// expireOne delivers the expiry of a wait that is over, which must do nothing.
func (w *pastWaits) expireOne(p *spy) {
	w.mu.Lock()
	var past pastWait
	if len(w.over) > 0 {
		past = w.over[rand.IntN(len(w.over))]
	}
	w.mu.Unlock()
	if past.t != nil && past.t.Expire(past.epoch) {
		p.failf("Expire", "a late expiry of an earlier wait of %v has ended a later one", past.t)
	}
}
