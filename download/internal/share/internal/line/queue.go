package line

import "slices"

// queue is first in, first out, in memory that it uses again.
type queue[T any] struct {
	list []T
	head int
}

func (q *queue[T]) len() int     { return len(q.list) - q.head }
func (q *queue[T]) at(i int) *T  { return &q.list[q.head+i] }
func (q *queue[T]) last() *T     { return &q.list[len(q.list)-1] }
func (q *queue[T]) dropLast()    { q.list = q.list[:len(q.list)-1] }
func (q *queue[T]) clear()       { q.list, q.head = q.list[:0], 0 }
func (q *queue[T]) remove(i int) { i += q.head; q.list = append(q.list[:i], q.list[i+1:]...) }

// insert puts t before the one at i.
func (q *queue[T]) insert(i int, t T) { q.list = slices.Insert(q.list, q.head+i, t) }

// add appends. It moves the queue to the front of its memory if half of it is
// free, before it takes more.
func (q *queue[T]) add(t T) {
	if len(q.list) == cap(q.list) && q.head > len(q.list)/2 {
		q.list = q.list[:copy(q.list, q.list[q.head:])]
		q.head = 0
	}
	q.list = append(q.list, t)
}

// pop removes the first.
func (q *queue[T]) pop() T {
	t := q.list[q.head]
	if q.head++; q.head == len(q.list) {
		q.clear()
	}
	return t
}
