-- name: create
-- A new game with its first events. With an Idempotency-Key the key's row comes first: a second
-- request under the same key waits for the first one to end, then finds nothing to insert.
with once as (
    insert into idempotency_keys (owner, key, body_hash, game_id)
    select %(owner)s, %(key)s, decode(%(body_hash)s, 'hex'), %(game_id)s
     where %(key)s::text is not null
    on conflict (owner, key) do nothing
    returning game_id
), head as (
    insert into games (game_id, version, head, status, ruleset, owner)
    select %(game_id)s, %(version)s, decode(%(head)s, 'hex'), %(status)s, %(ruleset)s, %(owner)s
     where %(key)s::text is null or exists (select from once)
    on conflict (game_id) do nothing
    returning game_id
), notes as (
    insert into game_notes (game_id, profiles, metadata)
    select game_id, %(profiles)s, %(metadata)s from head
), written as (
    insert into events (game_id, version, type, schema, public, secret, hash)
    select head.game_id, (e.public ->> 'version')::bigint, e.public ->> 'type',
           (e.public ->> 'schema')::smallint, e.public, nullif(e.secret, '{}'), decode(e.hash, 'hex')
      from head, jsonb_to_recordset(%(records)s) as e (public jsonb, secret jsonb, hash text)
)
select game_id from head;

-- name: created_once
-- The game that an Idempotency-Key led to, with the body it came with.
select game_id::text, encode(body_hash, 'hex') as body_hash
  from idempotency_keys
 where owner = %(owner)s and key = %(key)s;

-- name: append
-- Compare-and-set of the head and insert of all events, or nothing at all.
with head as (
    update games
       set version = %(next)s, head = decode(%(next_head)s, 'hex'), status = %(status)s,
           updated_at = now()
     where game_id = %(game_id)s and version = %(version)s and head = decode(%(head)s, 'hex')
    returning game_id
), notes as (
    update game_notes
       set profiles = profiles || %(profile)s::jsonb
      from head
     where game_notes.game_id = head.game_id and %(profile)s::jsonb is not null
), written as (
    insert into events (game_id, version, type, schema, public, secret, hash)
    select head.game_id, (e.public ->> 'version')::bigint, e.public ->> 'type',
           (e.public ->> 'schema')::smallint, e.public, nullif(e.secret, '{}'), decode(e.hash, 'hex')
      from head, jsonb_to_recordset(%(records)s) as e (public jsonb, secret jsonb, hash text)
)
select game_id from head;

-- name: read
-- A game's head, what is noted beside it, and its events after a version, in one snapshot.
select g.version, encode(g.head, 'hex') as head, g.status, g.owner, n.profiles, n.metadata,
       e.publics, e.secrets, e.hashes
  from games g
  join game_notes n on n.game_id = g.game_id
 cross join lateral (
       select array_agg(public order by version) as publics,
              array_agg(coalesce(secret, '{}') order by version) as secrets,
              array_agg(encode(hash, 'hex') order by version) as hashes
         from events
        where game_id = %(game_id)s and version > %(after)s) e
 where g.game_id = %(game_id)s;

-- name: games
-- A platform's games, newest first: a UUIDv7 begins with its time.
select g.game_id::text, g.ruleset, g.status, g.version, g.created_at, g.updated_at,
       n.profiles, n.metadata
  from games g
  join game_notes n on n.game_id = g.game_id
 where g.owner = %(owner)s
   and (%(before)s::uuid is null or g.game_id < %(before)s::uuid)
   and (%(status)s::text is null or g.status = %(status)s)
   and (%(ruleset)s::text is null or g.ruleset = %(ruleset)s)
   and (%(updated_after)s::timestamptz is null or g.updated_at > %(updated_after)s)
 order by g.game_id desc
 limit %(limit)s;

-- name: feed
-- All games' events in the order of their transactions, up to the oldest that still runs: what
-- commits later can only come later, so no event is ever passed over. The order names its
-- columns by their table: a bare `xid` would be the text selected here, where '1000' < '999'.
select e.xid::text, e.game_id::text, e.version, e.public, encode(e.hash, 'hex') as hash
  from events e
 where (e.xid, e.game_id, e.version) > (%(xid)s::xid8, %(game_id)s::uuid, %(version)s)
   and e.xid < pg_snapshot_xmin(pg_current_snapshot())
 order by e.xid, e.game_id, e.version
 limit %(limit)s;

-- name: add_key
-- A platform's key; that it is there already means that this is the second try.
insert into platform_keys (id, name, key_hash, created_at)
values (%(id)s, %(name)s, decode(%(key_hash)s, 'hex'), %(created_at)s)
on conflict (id) do nothing
returning id;

-- name: key_by_hash
select id, name, encode(key_hash, 'hex') as key_hash, created_at, revoked_at
  from platform_keys
 where key_hash = decode(%(key_hash)s, 'hex');

-- name: keys
select id, name, encode(key_hash, 'hex') as key_hash, created_at, revoked_at
  from platform_keys
 order by created_at, id;

-- name: revoke_key
-- Not twice, except that a second try finds the first one's work.
update platform_keys
   set revoked_at = %(at)s
 where id = %(id)s and (revoked_at is null or revoked_at = %(at)s)
returning id;

-- name: ping
select 1 as answer;
