-- What was seen of an item and is not on its way any more. Together with
-- entries_unfinished these are all entries about it: a new sighting is held
-- against those of other sources, by two looks. What is new and pending is not
-- in it, so that a commit has no page more to write.
CREATE INDEX entries_settled ON entries (account, item_key, happened_at, id)
  WHERE (state = 'held' OR state = 'delivered' OR state = 'rejected' OR state = 'dropped' OR state = 'merged') AND item_key <> '';
