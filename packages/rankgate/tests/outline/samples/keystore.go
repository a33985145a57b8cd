// Package keys keeps keys and rotates them.
package keys

import (
	"errors"
	"fmt"
)

// ErrGone says that a key was removed.
var ErrGone = errors.New("gone")

const limit = 10

// Key has a name and a version.
type Key struct {
	Name    string
	Version int
	meta    struct {
		owner string
	}
}

// Store keeps values by key.
type Store[K comparable, V any] struct {
	entries map[K]V
	hooks   []Hook
}

type (
	// Hook is called after a rotation.
	Hook func(name string) error

	// Rotator rotates.
	Rotator interface {
		fmt.Stringer
		Rotate(name string) (*Key, error)
		Stop()
	}

	// State tells where a key stands.
	State int
)

// Alias is another name of a key.
type Alias = Key

type Number interface {
	~int | ~float64
}

// New makes a store.
func New[K comparable, V any](hooks ...Hook) *Store[K, V] {
	later := func() {
		fmt.Println("größer")
	}
	defer later()
	return &Store[K, V]{entries: map[K]V{}, hooks: hooks}
}

// Put adds a value.
func (s *Store[K, V]) Put(key K, value V) {
	s.entries[key] = value
}

// Get finds a value.
func (s Store[K, V]) Get(key K) (V, error) {
	value, ok := s.entries[key]
	if !ok {
		return value, ErrGone
	}
	return value, nil
}

func (k Key) String() string { return fmt.Sprintf("%s/%d", k.Name, k.Version) }

func (*Key) Touch() {}

// Elsewhere stands in another file of the package.
func (e *Elsewhere) Rotate(
	name string,
) (*Key, error) {
	return nil, ErrGone
}

func Sum[T Number](values ...T) (total T) {
	type local struct{ value T }
	for _, value := range values {
		total += local{value}.value
	}
	return total
}

func init() {
	_ = Sum(1, 2)
}
