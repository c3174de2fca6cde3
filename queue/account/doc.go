/*
Package account is one account at the service, as values. It says how an account
stands, what the queue keeps of it, why it is paused, and what its service
supports.

It promises to be pure: it asks no clock, no disk and no network. The queue
stores what is here, the loop decides with it, and the daemon shows it. It
refuses to word what a person is told of an entry.

A pause by a refused key or a wrong address ends when a probe is answered well.
The service is asked again after 5 minutes, and then after twice as long each
time, up to 6 hours. A pause by the user ends when the user resumes,
or at the time that the user has set.

The owner is the first user whose key was used at this address. What waits was
watched by that person, so nothing is sent with another person's key.
*/
package account
