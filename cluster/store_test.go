package cluster

import (
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A message among the records that no worker has written, or one of another version, stops nothing: the partition is
// worked on, the URLs that have a record are not fetched again, and the counts are those of the records.
func TestForeignMessagesAmongRecords(t *testing.T) {
	for name, foreign := range map[string]*nats.Msg{
		"no header":       {Data: []byte("junk")},
		"another version": {Header: nats.Header{fieldVersion: {"2"}, fieldToken: {"900"}}},
		"no marks":        {Header: nats.Header{fieldVersion: {"1"}, fieldToken: {"900"}, fieldBatch: {"1"}, fieldCounts: {"{}"}, fieldMarks: {"x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			store, conn := serve(t)
			site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if strings.HasPrefix(r.URL.Path, "/missing") {
					w.WriteHeader(404)
				}
			})
			publish := func() {
				foreign.Subject = store.recordSubject(plan.Partition("127.0.0.1"))
				if err := conn.PublishMsg(foreign); err != nil {
					t.Fatal(err)
				}
				conn.Flush()
			}
			publish()
			first, second := site.url(0, "/a"), site.url(0, "/missing")
			add(t, store, first)
			stop := start(t, newWorker(t, store, new(memorySink)))
			waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 1 })
			publish() // while the worker has the partition
			add(t, store, first, second)
			waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 2 })
			stop()
			publish() // while no worker has it
			if s, err := store.Status(t.Context()); err != nil || s.URLs != 2 || s.Failures["not-found"] != 1 {
				t.Errorf("the status is %+v, %v", s, err)
			}
			add(t, store, first, second, site.url(0, "/b"))
			start(t, newWorker(t, store, new(memorySink)))
			waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 3 && s.Failures["not-found"] == 1 })
			if site.total() != 3 {
				t.Errorf("the servers were asked %d times for 3 URLs", site.total())
			}
		})
	}
}

// A server that keeps a copy of the records is behind: the messages that it lacks are read when it has them, and
// none is read twice.
func TestRecordsOfACopyThatIsBehind(t *testing.T) {
	store, conn := serve(t)
	publish := func(text string) {
		if err := conn.Publish(store.recordSubject(9), []byte(text)); err != nil {
			t.Fatal(err)
		}
		conn.Flush()
	}
	publish("a")
	publish("b")
	var got []string
	first := jetstream.ConsumerConfig{FilterSubject: store.recordSubject(9)}
	err := store.eachOf(t.Context(), first, 3, func(m jetstream.Msg, _ *jetstream.MsgMetadata) error {
		if got = append(got, string(m.Data())); len(got) == 2 {
			time.AfterFunc(time.Second, func() { publish("c") })
		}
		return nil
	})
	if text := strings.Join(got, ""); err != nil || text != "abc" {
		t.Errorf("%q, %v", text, err)
	}
}

// A page that is gone is removed: the answer to its removal may have been lost, or its owner before has removed it. A
// page that the server fails to remove is still there: that is an error, so that it is tried again.
func TestPageThatIsNotRemoved(t *testing.T) {
	store, _ := serve(t)
	add(t, store, "http://h.example/")
	add(t, store, "http://h.example/")
	for _, seq := range []uint64{2, 2, 99} {
		if err := store.remove(t.Context(), seq); err != nil {
			t.Errorf("page %d: %v", seq, err)
		}
	}
	config := store.pages.CachedInfo().Config
	config.DenyDelete = true // the server has the same code for a disk that is full
	if _, err := store.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if err := store.remove(t.Context(), 1); err == nil {
		t.Error("the page is said to be removed, and is there")
	}
}

// The connection of a worker breaks while it reads records, and the messages that were on their way are lost. The worker
// asks for these messages again, so that the set of done URLs has all marks.
func TestRecordsThatAreLostOnTheWay(t *testing.T) {
	store, conn := serve(t)
	var marks []mark
	for n := range 3000 {
		m := mark{hashOf(fmt.Sprint(n)), 0}
		marks = append(marks, m)
		fields, err := (&head{token: 1, marks: []mark{m}}).encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.PublishMsg(&nats.Msg{Subject: store.recordSubject(9), Header: fields}); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if info, err := store.records.Info(t.Context()); err == nil && info.State.Msgs == uint64(len(marks)) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the records are not there")
		}
	}
	own, err := nats.Connect(conn.ConnectedUrl(), nats.SetCustomDialer(&breaking{after: 240 << 10}), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.Close)
	h := hold(t, newWorker(t, open(t, own, "test"), new(memorySink)), 9)
	done, err := h.done.has(marks)
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, is := range done {
		if !is {
			lost++
		}
	}
	if reconnects := own.Stats().Reconnects; lost > 0 || reconnects == 0 {
		t.Errorf("the set lacks %d of %d marks, and has message %d; the connection broke %d times", lost, len(marks), h.done.last, reconnects)
	}
}

// A breaking makes connections. The first connection breaks when it has read so many octets, and loses those that it
// read last.
type breaking struct{ after int }

func (b *breaking) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	if b.after == 0 {
		return c, err
	}
	after := b.after
	b.after = 0
	return &breakingConn{c, after}, err
}

type breakingConn struct {
	net.Conn
	left int
}

func (c *breakingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.left -= n; c.left < 0 {
		c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// The messages behind a head that can be read are not shown yet: the head may not be the last one.
func TestLastHeadOfACopyThatIsBehind(t *testing.T) {
	store, _ := serve(t)
	fields, err := (&head{token: 1}).encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.js.PublishMsg(t.Context(), &nats.Msg{Subject: store.recordSubject(9), Header: fields}); err != nil {
		t.Fatal(err)
	}
	if h, err := store.lastHead(t.Context(), 9, 1, 1); err != nil || h.token != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	if h, err := store.lastHead(t.Context(), 9, 1, 2); err == nil {
		t.Errorf("without message 2 the last head is %+v", h)
	}
}

// The settings and the owners of a job are asked of the leader of the bucket, also in a job that was made by package
// jetstream: a copy that is behind may not have them.
func TestStateIsAskedOfTheLeader(t *testing.T) {
	old, conn := serve(t)
	if _, err := old.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "other-state"}); err != nil {
		t.Fatal(err)
	}
	copies, err := conn.SubscribeSync("$JS.API.DIRECT.GET.>")
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []*Store{old, open(t, conn, "other")} {
		if err := store.put(t.Context(), keyCrawl, Crawl{Depth: 7}); err != nil {
			t.Fatal(err)
		}
		var c Crawl
		if revision, err := store.get(t.Context(), keyCrawl, &c); err != nil || revision == 0 || c.Depth != 7 {
			t.Errorf("%s: revision %d, %+v, %v", store.Job(), revision, c, err)
		}
	}
	if m, err := copies.NextMsg(100 * time.Millisecond); err == nil {
		t.Errorf("any copy is asked: %s", m.Subject)
	}
}

// The deaths of workers in the store make no sense: the partition is worked on even so.
func TestDeathsOfStrangers(t *testing.T) {
	store, _ := serve(t)
	if _, err := store.state.Put(t.Context(), keySuspects(9), []byte("no JSON")); err != nil {
		t.Fatal(err)
	}
	if h := hold(t, newWorker(t, store, new(memorySink)), 9); !h.ready {
		t.Error("the partition is not ready")
	}
}
