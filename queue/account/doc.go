/*
Package account is one account at the service, as values. It says how an account
stands, in words that all others use.

It promises to be pure: it asks no clock, no disk and no network. The queue
stores what is here, the loop decides with it, and the daemon shows it.
*/
package account
