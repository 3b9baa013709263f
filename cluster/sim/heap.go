package main

// An event is when a worker has something to do: the next fetch of a host, or, for a negative host,
// the end of a page.
type event struct {
	at   float64
	host int32
	page *page
}

func (e event) Before(o event) bool { return e.at < o.at || e.at == o.at && e.host < o.host }

// A heap has the earliest value first.
type heap[T interface{ Before(T) bool }] []T

func (h *heap[T]) push(e T) {
	s := append(*h, e)
	i := len(s) - 1
	for i > 0 && e.Before(s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = e
	*h = s
}

func (h *heap[T]) pop() T {
	s := *h
	first, e := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return first
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= len(s) {
			break
		}
		if c+1 < len(s) && s[c+1].Before(s[c]) {
			c++
		}
		if !s[c].Before(e) {
			break
		}
		s[i] = s[c]
		i = c
	}
	s[i] = e
	return first
}

// A moment is a time as a value of a heap.
type moment float64

func (m moment) Before(o moment) bool { return m < o }
