# pyftpdlib for the tests. What stands in ${...} is replaced before Python reads
# this, natively by the command in the directory above, in a container by
# entrypoint.sh.
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import TLS_FTPHandler
from pyftpdlib.servers import FTPServer

ROOT = "${DIR}/data/pub"

# A client that begins TLS on the data connection before it has said RETR is
# dropped (1.5.7): it takes what it can read too early for the end of a
# connection. curl 7.88 is such a client.

# Everybody sees the same tree and changes nothing.
authorizer = DummyAuthorizer()
authorizer.add_user("fetch", "s3cret@:/", ROOT, perm="elr")
authorizer.add_anonymous(ROOT)

handler = TLS_FTPHandler
handler.authorizer = authorizer
handler.banner = "pyftpdlib of the tests"
handler.certfile = "${DIR}/tls/server.pem"
handler.passive_ports = range(${LOW}, ${HIGH} + 1)
handler.masquerade_address = "127.0.0.1"

FTPServer(("${BIND}", ${PORT}), handler).serve_forever()
