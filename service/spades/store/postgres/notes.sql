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

-- name: next_generation
-- Nothing is noted of the first generation, which is 1.
update game_notes
   set generations = generations
       || jsonb_build_object(%(kind)s::text, coalesce((generations ->> %(kind)s)::int, 1) + 1)
 where game_id = %(game_id)s
returning (generations ->> %(kind)s)::int as generation;

-- name: note_reading
insert into readings (game_id, id, at, token_id, kind, operation, version)
values (%(game_id)s, %(id)s, %(at)s, %(token_id)s, %(kind)s, %(operation)s, %(version)s)
on conflict (game_id, id) do nothing
returning id;

-- name: readings
-- A game's readings, newest first: a UUIDv7 begins with its time.
select r.id::text, r.game_id::text, r.at, r.token_id, r.kind, r.operation, r.version
  from readings r
 where r.game_id = %(game_id)s
   and (%(before)s::uuid is null or r.id < %(before)s::uuid)
 order by r.id desc
 limit %(limit)s;

-- name: put_player
-- A player's name, and the same name in each of their seats that shows another.
with noted as (
    insert into players (owner, ref, name, created_at, updated_at)
    values (%(owner)s, %(ref)s, %(name)s, %(at)s, %(at)s)
    on conflict (owner, ref) do update set name = excluded.name, updated_at = excluded.updated_at
), shown as (
    update game_notes n
       set profiles = (
           select jsonb_object_agg(seat, case profile ->> 'player_ref'
                                         when %(ref)s then %(profile)s else profile end)
             from jsonb_each(n.profiles) as sits (seat, profile))
      from games g
     where g.game_id = n.game_id and g.owner = %(owner)s
       and jsonb_path_query_array(n.profiles, '$.*.player_ref') @> jsonb_build_array(%(ref)s::text)
       and jsonb_path_exists(n.profiles, '$.* ? (@.player_ref == $player_ref && @.name != $name)',
                             %(profile)s)
)
select 1 as done;

-- name: player
-- Who is noted, or sits in a game at least; a name that is not noted is that of the latest game.
with sits as (
    select g.game_id, s.profile ->> 'name' as name
      from game_notes n
      join games g on g.game_id = n.game_id
     cross join lateral jsonb_each(n.profiles) as s (seat, profile)
     where g.owner = %(owner)s
       and jsonb_path_query_array(n.profiles, '$.*.player_ref') @> jsonb_build_array(%(ref)s::text)
       and s.profile ->> 'player_ref' = %(ref)s
), noted as (
    select name from players where owner = %(owner)s and ref = %(ref)s
)
select coalesce((select name from noted),
                (select name from sits where name is not null order by game_id desc limit 1)) as name,
       (select count(distinct game_id) from sits) as games
 where exists (select from noted) or exists (select from sits);

-- name: player_names
select ref, name
  from players
 where owner = %(owner)s and ref = any(%(refs)s) and name is not null;

-- name: erase_player
-- Everything by which a player is known, and in the same rows the corrections of their games'
-- results. A correction's id follows from the request's and the game's: a UUID of version 8.
with forgotten as (
    delete from players where owner = %(owner)s and ref = %(ref)s
), stripped as (
    update game_notes n
       set profiles = (
               select jsonb_object_agg(seat, case profile ->> 'player_ref'
                                             when %(ref)s then %(profile)s else profile end)
                 from jsonb_each(n.profiles) as sits (seat, profile)),
           issues = case
               when n.issues = '[]' or n.issues @> jsonb_build_array(c.issue) then n.issues
               else n.issues || c.issue end
      from games g
     cross join lateral (
           select encode(sha256(uuid_send(%(id)s::uuid) || uuid_send(g.game_id)), 'hex')) d (digest)
     cross join lateral (
           select jsonb_build_object('issued_at', %(issued_at)s::text, 'id',
                  overlay(overlay(left(digest, 32) placing '8' from 13) placing '8' from 17)::uuid)
           ) c (issue)
     where g.game_id = n.game_id and g.owner = %(owner)s
       and jsonb_path_query_array(n.profiles, '$.*.player_ref') @> jsonb_build_array(%(ref)s::text)
    returning n.game_id
)
select count(*) as games from stripped;

-- name: seat_player
update game_notes
   set profiles = profiles || %(profile)s,
       issues = case
           when issues = '[]' or issues @> jsonb_build_array(%(issue)s::jsonb) then issues
           else issues || %(issue)s::jsonb end
 where game_id = %(game_id)s
returning game_id;

-- name: issue
-- The issues of a result; the first one only if there is none, and nothing is written otherwise.
-- No row: the game is not there, or another's first issue was waited for and is not seen yet.
with first as (
    update game_notes
       set issues = jsonb_build_array(%(issue)s::jsonb)
     where game_id = %(game_id)s and issues = '[]'
    returning issues
)
select issues from first
 union all
select issues
  from game_notes
 where game_id = %(game_id)s and issues <> '[]';
