package conformance

// end records the last event: the state of everything.
func (r *runner) end() {
	e := Event{Kind: EndEvent, Why: whyTicks}
	for i := range r.tasks {
		e.Tasks = append(e.Tasks, r.taskEnd(i))
	}
	for i, o := range r.objects {
		e.Objects = append(e.Objects, ObjectEnd{ID: r.scenario.Objects[i].ID, Fields: o.end()})
	}
	r.record(e)
}

func (r *runner) taskEnd(index int) TaskEnd {
	st := &r.tasks[index]
	end := TaskEnd{ID: r.scenario.Tasks[index].ID}
	switch {
	case st.generation == 0:
		end.State = "NotCreated"
		return end
	case !st.exists:
		end.State = "Deleted"
		return end
	}
	info := st.task.Info()
	end.State, end.Exists = info.State.String(), true
	end.Prio, end.Base = info.Priority, info.BasePriority
	end.PC, end.Done = st.pc, st.done
	end.Mutexes = info.Held
	for _, slot := range info.Notify {
		end.Values = append(end.Values, slot.Value)
		end.States = append(end.States, uint32(slot.State))
	}
	return end
}
