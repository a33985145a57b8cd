// Package lease lets one scheduler of several lead, by a lease in the database.
package lease

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrHeld says that somebody else has the lease.
var ErrHeld = errors.New("lease: held by another instance")

// ErrLost says that the lease ran out, or was taken, before it was renewed.
var ErrLost = errors.New("lease: lost")

// Duration is how long a lease lasts, and renewal how often it is renewed.
const (
	Duration = 15 * time.Second
	renewal  = 5 * time.Second
	margin   = 2 * time.Second
)

// Lease is the right to lead until a time. Fence rises with each new holder.
type Lease struct {
	Holder string
	Fence  int64
	Until  time.Time
}

// Store keeps the lease. Each method is one transaction.
type Store interface {
	// Take gives the lease to the holder if nobody has it, with the next fencing number.
	Take(ctx context.Context, holder string, d time.Duration) (Lease, error)
	// Extend moves the end of a lease, if its fencing number is still the newest.
	Extend(ctx context.Context, l Lease, d time.Duration) (Lease, error)
	// Drop ends a lease before its time.
	Drop(ctx context.Context, l Lease) error
}

// Clock tells the time; tests have their own.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Manager stands for election, and renews the lease while it leads.
type Manager struct {
	name  string
	store Store
	clock Clock

	mu      sync.Mutex
	current *Lease
}

// NewManager makes a manager for one instance.
func NewManager(name string, store Store, clock Clock) *Manager {
	return &Manager{name: name, store: store, clock: clock}
}

// Acquire tries to become the leader. It returns ErrHeld where another instance leads.
func (m *Manager) Acquire(ctx context.Context) (Lease, error) {
	taken, err := m.store.Take(ctx, m.name, Duration)
	if err != nil {
		return Lease{}, err
	}
	m.set(&taken)
	return taken, nil
}

// Renew moves the end of the lease. It returns ErrLost where this instance does not lead any more.
func (m *Manager) Renew(ctx context.Context) error {
	held := m.get()
	if held == nil {
		return ErrLost
	}
	extended, err := m.store.Extend(ctx, *held, Duration)
	if err != nil {
		m.set(nil)
		return errors.Join(ErrLost, err)
	}
	m.set(&extended)
	return nil
}

// Release ends the lease at once, so that another instance need not wait for it to run out.
func (m *Manager) Release(ctx context.Context) error {
	held := m.get()
	if held == nil {
		return nil
	}
	m.set(nil)
	return m.store.Drop(ctx, *held)
}

// IsLeader tells whether this instance may make runs. It turns false two seconds before the lease ends,
// so that two instances never lead at once.
func (m *Manager) IsLeader() bool {
	held := m.get()
	return held != nil && m.clock.Now().Before(held.Until.Add(-margin))
}

// Fence gives the fencing token to write with each run, and whether there is one.
func (m *Manager) Fence() (int64, bool) {
	held := m.get()
	if held == nil {
		return 0, false
	}
	return held.Fence, true
}

// Run stands for election until the context ends, and calls lead each time it wins.
// The context that lead gets ends when the lease is lost.
func (m *Manager) Run(ctx context.Context, lead func(ctx context.Context, fence int64)) error {
	for ctx.Err() == nil {
		held, err := m.Acquire(ctx)
		if err != nil {
			m.wait(ctx, renewal)
			continue
		}
		leading, stop := context.WithCancel(ctx)
		go lead(leading, held.Fence)
		for m.wait(ctx, renewal) && m.Renew(ctx) == nil {
		}
		stop()
	}
	return m.Release(context.WithoutCancel(ctx))
}

func (m *Manager) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-m.clock.After(d):
		return true
	}
}

func (m *Manager) get() *Lease {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.current
}

func (m *Manager) set(l *Lease) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current = l
}
