package fault_test

import (
	"bufio"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// other is an article that the client did not request.
const other = "Subject: evil\r\nMessage-ID: <c@evil.test>\r\n\r\nevil\r\n"

// newsSays makes a news server that has the given replies to some commands, for a trial
// of the URL asked. It looks a reply up by the whole line first, and then by the command.
func newsSays(asked string, replies map[string]string) func(*scene) string {
	return func(s *scene) string {
		s.newsServer = "good.test"
		s.serve("good.test:119", func(c *link) {
			reply := replies[""]
			if reply == "" {
				reply = newsWords[""]
			}
			io.WriteString(c, reply+"\r\n")
			for in := bufio.NewReader(c); ; {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				line = strings.TrimSpace(line)
				command, argument, _ := strings.Cut(line, " ")
				reply := replies[line]
				if reply == "" {
					reply = replies[command]
				}
				if reply == "" {
					reply = newsWords[command]
				}
				if reply == "" {
					reply = "500 no"
				}
				if strings.HasPrefix(argument, "<") && replies[command] == "" {
					reply = strings.Replace(reply, "0 5 <", "0 0 <", 1)
				}
				io.WriteString(c, reply+"\r\n")
			}
		})
		return asked
	}
}

// toArticle returns the reply to every ARTICLE: a status and an article.
func toArticle(status, article string) map[string]string {
	return map[string]string{"ARTICLE": status + "\r\n" + article + "."}
}

// toHead is toArticle for HEAD.
func toHead(status, header string) map[string]string {
	return map[string]string{"HEAD": status + "\r\n" + header + "."}
}

// described makes the request one with Describe.
func described(serve func(*scene) string) func(*scene) string {
	return func(s *scene) string {
		s.request.Describe = true
		return serve(s)
	}
}

// had makes the request one that asks whether a copy is still good.
func had(serve func(*scene) string) func(*scene) string {
	return func(s *scene) string {
		s.request.Have = fetchers.Validator{ETag: "<a@good.test>"}
		return serve(s)
	}
}

// inListing makes the trial read the entries.
func inListing(serve func(*scene) string) func(*scene) string { return listed(serve) }

const (
	head      = "Subject: hello\r\nMessage-ID: <a@good.test>\r\n"
	otherHead = "Subject: evil\r\nMessage-ID: <c@evil.test>\r\n"
	inMessage = "mid:a@good.test"
)

var newsTrials = []trial{
	{name: "an article by its message-id", does: "220 0 with the requested message-id", serve: newsSays(byID, nil), data: isArticle, want: mustBeRight},
	{name: "an article by its number", does: "220 with the requested number", serve: newsSays(byNumber, nil), data: isArticle, want: mustBeRight},
	{name: "an article by its message-id, with a number", does: "220 7 with the requested message-id", serve: newsSays(byID, toArticle("220 7 <a@good.test>", article)), data: isArticle, want: mustBeRight},
	{name: "an article by its number, without a message-id", does: "220 5, and nothing more in that line", serve: newsSays(byNumber, toArticle("220 5", article)), data: isArticle},
	{name: "an article by its message-id, without one in the reply", does: "220 0, and nothing more in that line", serve: newsSays(byID, toArticle("220 0", article)), data: isArticle},
	{name: "another article for a message-id", does: "220 0 <c@evil.test> and that article, for a@good.test", serve: newsSays(byID, toArticle("220 0 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "another article with a number for a message-id", does: "220 9 <c@evil.test> and that article, for a@good.test", serve: newsSays(byID, toArticle("220 9 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "another article before the one for a message-id", does: "220 0 <c@evil.test> <a@good.test> and the former", serve: newsSays(byID, toArticle("220 0 <c@evil.test> <a@good.test>", other)), data: isArticle, want: mustFail},
	{name: "another article for a number", does: "220 6 and that article, for number 5", serve: newsSays(byNumber, toArticle("220 6 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "number 0 for a number", does: "220 0 and another article, for number 5", serve: newsSays(byNumber, toArticle("220 0 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "a negative number for a number", does: "220 -5 and another article, for number 5", serve: newsSays(byNumber, toArticle("220 -5 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "a number with letters for a number", does: "220 5x and another article, for number 5", serve: newsSays(byNumber, toArticle("220 5x <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "a number of 22 digits for a number", does: "220 with the number 2^64 + 5 many times over, for number 5", serve: newsSays(byNumber, toArticle("220 1844674407370955162100 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "a number that wraps for a number", does: "220 18446744073709551621, which is 2^64 + 5, for number 5", serve: newsSays(byNumber, toArticle("220 18446744073709551621 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "the code of HEAD for ARTICLE", does: "221 and an article", serve: newsSays(byID, toArticle("221 0 <a@good.test>", article)), data: isArticle, want: mustFail},
	{name: "the code of BODY for ARTICLE", does: "222 and an article", serve: newsSays(byID, toArticle("222 0 <a@good.test>", article)), data: isArticle, want: mustFail},
	{name: "the code of STAT for ARTICLE", does: "223, and no article", serve: newsSays(byID, map[string]string{"ARTICLE": "223 0 <a@good.test>"}), data: isArticle, want: mustFail},
	{name: "an article ahead of its question", does: "with the reply to MODE READER, a reply to ARTICLE for another article", serve: newsSays(byID, map[string]string{"MODE": "201 ready\r\n220 0 <c@evil.test>\r\n" + other + "."}), data: isArticle},
	{name: "a greeting twice", does: "two greetings, so that each reply comes one command late", serve: newsSays(byNumber, map[string]string{"": "201 ready\r\n201 ready"}), data: isArticle},
	{name: "GROUP twice", does: "two replies to GROUP, of which the second is taken for the reply to ARTICLE", serve: newsSays(byNumber, map[string]string{"GROUP": "211 1 5 5 good.group\r\n211 1 5 5 good.group"}), data: isArticle},
	{name: "a message with its own message-id", does: "the article that a mid URL names", serve: newsSays(inMessage, nil), data: isArticle, want: mustBeRight},
	{name: "another message for a mid URL", does: "220 0 <c@evil.test> and that article, for mid:a@good.test", serve: newsSays(inMessage, toArticle("220 0 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "a part of another message for a mid URL", does: "220 0 <c@evil.test> and that article, for mid:a@good.test/x@good.test", serve: newsSays("mid:a@good.test/x@good.test", toArticle("220 0 <c@evil.test>", other)), data: isArticle, want: mustFail},
	{name: "another article described for a message-id", does: "221 0 <c@evil.test> and that header, for HEAD <a@good.test>", serve: described(newsSays(byID, toHead("221 0 <c@evil.test>", otherHead))), want: mustFail},
	{name: "another article described for a number", does: "221 6 and that header, for HEAD 5", serve: described(newsSays(byNumber, toHead("221 6 <c@evil.test>", otherHead))), want: mustFail},
	{name: "an article described for a message-id", does: "221 0 <a@good.test> and its header", serve: described(newsSays(byID, toHead("221 0 <a@good.test>", head))), want: mustBeRight},
	{name: "the code of ARTICLE for HEAD", does: "220 and a header", serve: described(newsSays(byID, toHead("220 0 <a@good.test>", head))), want: mustFail},
	{name: "the code of STAT for HEAD", does: "223, and no header", serve: described(newsSays(byID, map[string]string{"HEAD": "223 0 <a@good.test>"})), want: mustFail},
	{name: "another article for the question whether a copy is good", does: "221 0 <c@evil.test> with the header of the copy", serve: had(newsSays(byID, toHead("221 0 <c@evil.test>", head))), data: isArticle, want: mustFail},
	{name: "a group", does: "the overview of a group with one article", serve: inListing(newsSays(inGroup, nil)), entries: 1, want: mustBeRight},
	{name: "another number for a header in a group without overview", does: "221 6 for HEAD 5, where OVER is not known", serve: inListing(newsSays(inGroup, map[string]string{
		"OVER": "500 no", "XOVER": "500 no", "LISTGROUP": "211 1 5 5 good.group\r\n5\r\n.", "HEAD": "221 6 <c@evil.test>\r\n" + otherHead + ".",
	})), want: mustFail},
	{name: "the reply to GROUP names another group", does: "211 1 5 5 evil.group for good.group, and an article of that", serve: newsSays(byNumber, map[string]string{"GROUP": "211 1 5 5 evil.group", "ARTICLE": "220 5 <c@evil.test>\r\n" + other + "."}), data: isArticle, want: mustFail},
	{name: "the overview of another group", does: "211 1 5 5 evil.group for good.group, and the overview of that", serve: inListing(newsSays(inGroup, map[string]string{"GROUP": "211 1 5 5 evil.group"})), want: mustFail},
	{name: "the overview of another range", does: "an overview of number 5 for 40 to 50", serve: inListing(newsSays("nntp://good.test/good.group/40-50", map[string]string{"GROUP": "211 50 1 50 good.group"})), want: mustFail},
	{name: "a header for each number in a group without overview", does: "221 5 for HEAD 5, where OVER is not known", serve: inListing(newsSays(inGroup, map[string]string{
		"OVER": "500 no", "XOVER": "500 no", "LISTGROUP": "211 1 5 5 good.group\r\n5\r\n.",
	})), entries: 1, want: mustBeRight},
	{name: "numbers without end in a group", does: "a group of nine trillion articles, of which the overview has one", serve: inListing(newsSays(inGroup, map[string]string{
		"GROUP": "211 9000000000000 5 9000000000000 good.group", "OVER 5-5004": "224 it follows\r\n" + hello + ".", "OVER": "423 none",
	})), entries: 1},
}
