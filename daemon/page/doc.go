/*
Package page is what a person sees of one instance in a browser.

It owns the pages, how a browser signs in, and what an open page is told. Each
room is a file here and a template in rooms: now.go and rooms/now.html. A room
shows something, and may have acts: forms that a person sends. It reads and acts
through [control.API] alone, as the command line does.

It promises that every page and every act works without JavaScript. The texts come
from the catalogue of package locale. What strangers wrote is told as text, never as
markup. A page loads nothing from elsewhere.

It refuses to decide anything about viewings, and to listen: the daemon does.

# Who gets in

The pages have a host name of their own, a random label under .localhost. Only
somebody who has seen it knows it, and cookies of other programs on this machine
never reach it. A browser signs in with a ticket, which is good once, for 30
seconds. Only the command line makes tickets, through the control API. The browser
gets a cookie for 30 days, SameSite=Strict and HttpOnly. So the address alone gets
nothing. Another site, another port, or a name that somebody points at this
machine gets nothing, either.

Browsers ask any address of localhost for that name, so the daemon holds its port at
all of them. While no daemon runs, another account's program can take the port. A browser
that comes then brings that program the cookie. A button of Settings ends all sessions.
The cookies are made of the whole secret, and the button replaces its second half. The
host name is made of the first half, and stays.

An act is a POST from a page of ours: [http.CrossOriginProtection] refuses others.
*/
package page
