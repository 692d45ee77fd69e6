-- name: create
-- A new game with its first events. With an Idempotency-Key the key's row comes first: a second
-- request under the same key waits for the first one to end, then finds nothing to insert. Names
-- that are looked up are held meanwhile, so that a change of them or an erasure comes after.
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
), named as (
    select p.ref, p.name
      from players p
     where p.owner = %(owner)s and p.ref = any(%(nameless)s)
       for share
), notes as (
    insert into game_notes (game_id, profiles, metadata)
    select head.game_id, coalesce(shown.profiles, '{}'), %(metadata)s
      from head
     cross join (
           select jsonb_object_agg(seat, case when profile ->> 'name' is null
                                              then profile || jsonb_build_object('name', p.name)
                                              else profile end) as profiles
             from jsonb_each(%(profiles)s) as sits (seat, profile)
             left join named p on p.ref = profile ->> 'player_ref') shown
    returning profiles
), written as (
    insert into events (game_id, version, type, schema, public, secret, hash)
    select head.game_id, (e.public ->> 'version')::bigint, e.public ->> 'type',
           (e.public ->> 'schema')::smallint, e.public, nullif(e.secret, '{}'), decode(e.hash, 'hex')
      from head, jsonb_to_recordset(%(records)s) as e (public jsonb, secret jsonb, hash text)
)
select profiles from notes;

-- name: created_once
-- The game that an Idempotency-Key led to, with the body it came with.
select game_id::text, encode(body_hash, 'hex') as body_hash
  from idempotency_keys
 where owner = %(owner)s and key = %(key)s;

-- name: append
-- Compare-and-set of the head and insert of all events, or nothing at all. Each is planned anew,
-- so what only a claim needs is a statement of its own.
with head as (
    update games
       set version = %(next)s, head = decode(%(next_head)s, 'hex'), status = %(status)s,
           updated_at = now()
     where game_id = %(game_id)s and version = %(version)s and head = decode(%(head)s, 'hex')
       and not quarantined
    returning game_id
), written as (
    insert into events (game_id, version, type, schema, public, secret, hash)
    select head.game_id, (e.public ->> 'version')::bigint, e.public ->> 'type',
           (e.public ->> 'schema')::smallint, e.public, nullif(e.secret, '{}'), decode(e.hash, 'hex')
      from head, jsonb_to_recordset(%(records)s) as e (public jsonb, secret jsonb, hash text)
)
select game_id from head;

-- name: append_claim
-- An append that also notes who claims a seat, merged with the seat's profile as it is by then; a
-- name that is looked up is held, as in a creation.
with head as (
    update games
       set version = %(next)s, head = decode(%(next_head)s, 'hex'), status = %(status)s,
           updated_at = now()
     where game_id = %(game_id)s and version = %(version)s and head = decode(%(head)s, 'hex')
       and not quarantined
    returning game_id
), named as (
    select p.name
      from games g
      join players p on p.owner = g.owner and p.ref = %(ref)s::text
     where g.game_id = %(game_id)s
       for share of p
), notes as (
    update game_notes n
       set profiles = n.profiles || jsonb_build_object(%(seat)s::text, jsonb_build_object(
               'name', coalesce(%(name)s::text,
                                case when n.profiles -> %(seat)s::text ->> 'player_ref' is null
                                     then (select name from named) end,
                                n.profiles -> %(seat)s::text ->> 'name'),
               'player_ref', coalesce(n.profiles -> %(seat)s::text ->> 'player_ref',
                                      %(ref)s::text))),
           corrected = n.corrected or (
               n.issues <> '[]' and %(ref)s::text is not null
               and n.profiles -> %(seat)s::text ->> 'player_ref' is null)
      from head
     where n.game_id = head.game_id
), written as (
    insert into events (game_id, version, type, schema, public, secret, hash)
    select head.game_id, (e.public ->> 'version')::bigint, e.public ->> 'type',
           (e.public ->> 'schema')::smallint, e.public, nullif(e.secret, '{}'), decode(e.hash, 'hex')
      from head, jsonb_to_recordset(%(records)s) as e (public jsonb, secret jsonb, hash text)
)
select game_id from head;

-- name: read
-- A game's head, what is noted beside it, and its events after a version, in one snapshot.
select g.version, encode(g.head, 'hex') as head, g.status, g.owner, g.quarantined,
       n.profiles, n.metadata, n.generations, n.issues, n.corrected,
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
-- A platform's games, newest first: a UUIDv7 begins with its time. What is noted comes as text, so
-- that the list stands when one game's notes were damaged.
select g.game_id::text, g.ruleset, g.status, g.version, g.created_at, g.updated_at,
       n.profiles::text, n.metadata::text
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

-- name: quarantine
update games
   set quarantined = %(quarantined)s
 where game_id = %(game_id)s
returning game_id;

-- name: game_ids
-- The order names its column by its table: a bare one would be the text selected here.
select g.game_id::text
  from games g
 where %(after)s::uuid is null or g.game_id > %(after)s::uuid
 order by g.game_id
 limit %(limit)s;

-- name: count_games
select count(*) as games from games;

-- name: finished
-- The events that end games, in the order of the feed and as far as it goes.
select e.xid::text, e.game_id::text, e.version
  from events e
 where e.type in ('game_finished', 'game_aborted')
   and (e.xid, e.game_id, e.version) > (%(xid)s::xid8, %(game_id)s::uuid, %(version)s)
   and e.xid < pg_snapshot_xmin(pg_current_snapshot())
 order by e.xid, e.game_id, e.version
 limit %(limit)s;

-- name: count_finished
select count(*) as games
  from events e
 where e.type in ('game_finished', 'game_aborted')
   and (e.xid, e.game_id, e.version) > (%(xid)s::xid8, %(game_id)s::uuid, %(version)s)
   and e.xid < pg_snapshot_xmin(pg_current_snapshot());

-- name: ping
select 1 as answer;
