package writeout

// A Variable is a name in a format, and its meaning.
type Variable struct{ Name, Means string }

// Variables returns the variables, by name. Times are in seconds from the start of a fetch; the
// time of an event that has not happened is 0.
func Variables() []Variable {
	return []Variable{
		{"content_type", "Content-Type of the answer, or the media type that another protocol implies"},
		{"errormsg", "why it failed, or nothing"},
		{"exitcode", "exit status for this URL"},
		{"filename_effective", "name of the file"},
		{"header_json", "header fields as a JSON object, secrets masked"},
		{"http_code", "number of the reply, with at least three digits"},
		{"http_version", "version of HTTP: 1.0, 1.1 or 2, and 0 for another protocol"},
		{"json", "record that --json writes"},
		{"local_ip", "address of this end of the connection that the content came by"},
		{"local_port", "port of this end"},
		{"num_connects", "connections that were made, those for the data of FTP among them"},
		{"num_redirects", "redirections that were followed"},
		{"num_retries", "attempts after the first one"},
		{"redirect_url", "where a redirection leads that was not followed"},
		{"remote_ip", "address of the server, or of the proxy"},
		{"remote_port", "port of the server, or of the proxy"},
		{"response_code", "the same as http_code"},
		{"scheme", "scheme of url_effective"},
		{"size_download", "bytes of content that came"},
		{"speed_download", "bytes of content a second"},
		{"time_appconnect", "time until TLS was agreed on"},
		{"time_connect", "time until the server, or the proxy, was connected"},
		{"time_namelookup", "time until the host was resolved"},
		{"time_redirect", "time until the last redirection was followed"},
		{"time_starttransfer", "time until the server began to answer"},
		{"time_total", "time until all was there"},
		{"url", "URL as it was asked for, without its password"},
		{"url_effective", "URL after redirections"},
	}
}
