# Varnish for the tests, before nginx. What stands in ${...} is replaced before Varnish
# reads this, natively by the command in the directory above, in a container by
# entrypoint.sh.
vcl 4.1;

backend nginx { .host = "${BIND}"; .port = "${BACKPORT}"; }
# Nothing listens there.
backend away { .host = "${BIND}"; .port = "1"; }

sub vcl_recv {
  if (req.url ~ "^/away/") { set req.backend_hint = away; }
  # What does not fit into the cache is only passed on.
  if (req.url ~ "/big.bin$") { return (pass); }
}

