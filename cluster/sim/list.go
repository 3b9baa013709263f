package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A host is what is known of one host.
type host struct {
	fetched  int32   // URLs, with those that were fetched again
	last     float64 // when its last fetch began; negative if none did
	end      float64 // when its last fetch ended
	gap      float64 // its longest wait for a fetch
	interval float32 // seconds between fetches
	latency  float32 // seconds of a fetch
}

// A partition has the pages of some hosts.
type partition struct {
	hosts   []int32   // in the order of a grouped list
	weights []float32 // how many URLs each has
	left    int64     // URLs that are not in a page yet
	random  *rand.Rand
	alias   alias // for a shuffled list
	at      int   // the host of a grouped list
	used    int64 // URLs of it that were listed

	back      []*page // pages that a worker has given back or lost, first ones first
	late      []*page // pages with URLs that were put back; they follow the pages of the list
	notBefore float64
}

// A page has URLs of one partition.
type page struct {
	partition int
	hosts     []int32 // of the URLs that were not fetched when the page was opened
	left      int     // URLs that are not fetched
	end       float64 // when the last fetch ended
	opened    float64
	moves     int  // how often its URLs were put back
	leaving   bool // its URLs were put back, but for those that are fetched
}

// newList makes the hosts and partitions of a list.
func newList(o *options) (hosts []host, partitions []*partition) {
	r := rand.New(rand.NewPCG(o.seed, 0))
	hosts = make([]host, o.hosts)
	partitions = make([]*partition, plan.Partitions)
	for p := range partitions {
		partitions[p] = &partition{random: rand.New(rand.NewPCG(o.seed, uint64(p)+1))}
	}
	var sum float64
	for i := range hosts {
		sum += math.Pow(float64(i+1), -o.zipf)
	}
	for i := range hosts {
		h := &hosts[i]
		h.last, h.interval, h.latency = -1, float32(o.interval), float32(0.05*math.Pow(20, r.Float64()))
		if r.IntN(10) == 0 {
			h.interval = float32(o.delay)
		}
		if r.IntN(100) == 0 {
			h.latency = 20
		}
		p := partitions[plan.Partition(fmt.Sprintf("h%d.example", i))]
		n := max(1, math.Round(float64(o.urls)*math.Pow(float64(i+1), -o.zipf)/sum))
		p.hosts, p.weights = append(p.hosts, int32(i)), append(p.weights, float32(n))
		p.left += int64(n)
	}
	for _, p := range partitions {
		if o.grouped {
			p.random.Shuffle(len(p.hosts), func(i, j int) {
				p.hosts[i], p.hosts[j] = p.hosts[j], p.hosts[i]
				p.weights[i], p.weights[j] = p.weights[j], p.weights[i]
			})
		} else {
			p.alias = newAlias(p.weights)
		}
	}
	return hosts, partitions
}

// next returns the next page, or nil if there is none.
func (p *partition) next(number int, grouped bool) *page {
	if len(p.back) > 0 {
		first := p.back[0]
		p.back = p.back[1:]
		return first
	}
	n := min(plan.PageItems, p.left)
	if n == 0 && len(p.late) > 0 {
		first := p.late[0]
		p.late = p.late[1:]
		return first
	}
	if n == 0 {
		return nil
	}
	p.left -= n
	next := &page{partition: number, left: int(n), hosts: make([]int32, n)}
	for i := range next.hosts {
		at := p.at
		if !grouped {
			at = p.alias.draw(p.random)
		} else if p.used++; float32(p.used) >= p.weights[at] {
			p.at, p.used = p.at+1, 0
		}
		next.hosts[i] = p.hosts[at]
	}
	return next
}

// empty reports whether all pages were taken.
func (p *partition) empty() bool { return p.left == 0 && len(p.back) == 0 && len(p.late) == 0 }

// An alias draws indices by their weights in constant time (the alias method of Walker and Vose).
type alias struct {
	keep  []float32 // the chance that an index stands for itself
	other []int32   // and what it stands for otherwise
}

func newAlias(weights []float32) alias {
	n := len(weights)
	a := alias{make([]float32, n), make([]int32, n)}
	var sum float64
	for _, w := range weights {
		sum += float64(w)
	}
	scaled := make([]float64, n)
	var small, large []int32
	for i, w := range weights {
		if scaled[i] = float64(w) * float64(n) / sum; scaled[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.keep[s], a.other[s] = float32(scaled[s]), l
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large, small = large[:len(large)-1], append(small, l)
		}
	}
	for _, i := range append(small, large...) {
		a.keep[i] = 1
	}
	return a
}

func (a *alias) draw(r *rand.Rand) int {
	i := r.IntN(len(a.keep))
	if r.Float32() < a.keep[i] {
		return i
	}
	return int(a.other[i])
}
