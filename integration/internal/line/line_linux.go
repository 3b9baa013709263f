package line

import (
	"errors"
	"os"
	"sync"
)

// New makes a line. The caller closes it.
func New(o Options) (*Line, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	l := &Line{seen: make(map[flow]bool)}
	var undo []func()
	l.close = sync.OnceFunc(func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	})
	end := func(name, addr string) (*End, *device, error) {
		e, stop, err := newEnd()
		if err != nil {
			return nil, nil, err
		}
		undo = append(undo, stop)
		var d *device
		if err := e.Do(func() error { d, err = openDevice(name, o.whole()); return err }); err != nil {
			return nil, nil, err
		}
		if err := e.prepare(name, addr); err != nil || o.Control == "" {
			return e, d, err
		}
		return e, d, e.control(o.Control)
	}
	var a, b *device
	var nearErr, farErr, err error
	l.Near, a, nearErr = end("near", NearAddr)
	l.Far, b, farErr = end("far", FarAddr)
	c := &carrier{line: l, ends: [2]*device{a, b}, lanes: [2]*lane{newLane(o, 0), newLane(o, o.Loss)}}
	if err = errors.Join(nearErr, farErr); err == nil {
		c.stop, c.wake, err = os.Pipe()
	}
	if err != nil {
		l.close()
		a.close()
		b.close()
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.run()
	}()
	undo = append(undo, func() {
		c.wake.Close()
		<-done
	})
	return l, nil
}
