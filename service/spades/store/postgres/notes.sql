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
insert into players (owner, ref, name, created_at, updated_at)
values (%(owner)s, %(ref)s, %(name)s, %(at)s, %(at)s)
on conflict (owner, ref) do update set name = excluded.name, updated_at = excluded.updated_at
returning ref;

-- name: show_player
-- The name noted for a player, in each of their seats that shows another. A statement of its own:
-- it has waited for whoever seated them under the name before, and sees those seats. The name is
-- held meanwhile, so that a later one is shown later, and that of an erased player not at all.
with noted as (
    select jsonb_build_object('name', name, 'player_ref', ref) as profile
      from players
     where owner = %(owner)s and ref = %(ref)s
       for share
)
update game_notes n
   set profiles = (
       select jsonb_object_agg(seat, case sits.profile ->> 'player_ref'
                                     when %(ref)s then noted.profile else sits.profile end)
         from jsonb_each(n.profiles) as sits (seat, profile))
  from games g, noted
 where g.game_id = n.game_id and g.owner = %(owner)s
   and jsonb_path_query_array(n.profiles, '$.*.player_ref') @> jsonb_build_array(%(ref)s::text)
   and jsonb_path_exists(n.profiles, '$.* ? (@.player_ref == $player_ref && @.name != $name)',
                         noted.profile)
returning n.game_id;

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

-- name: forget_player
delete from players where owner = %(owner)s and ref = %(ref)s returning ref;

-- name: erase_player
-- A player out of all seats; results that told of them are outdated. A statement of its own, after
-- the player was forgotten: that has waited for whoever seated them by their name.
with stripped as (
    update game_notes n
       set profiles = (
               select jsonb_object_agg(seat, case profile ->> 'player_ref'
                                             when %(ref)s then %(nobody)s else profile end)
                 from jsonb_each(n.profiles) as sits (seat, profile)),
           corrected = n.corrected or n.issues <> '[]'
      from games g
     where g.game_id = n.game_id and g.owner = %(owner)s
       and jsonb_path_query_array(n.profiles, '$.*.player_ref') @> jsonb_build_array(%(ref)s::text)
    returning n.game_id
)
select count(*) as games from stripped;

-- name: seat_player
-- Only another reference corrects a result, and only one that was told. A name that is looked up
-- is held meanwhile, as in a creation.
with named as (
    select p.name
      from games g
      join players p on p.owner = g.owner and p.ref = %(ref)s::text
     where g.game_id = %(game_id)s
       for share of p
)
update game_notes
   set profiles = profiles || jsonb_build_object(%(seat)s::text, jsonb_build_object(
           'name', coalesce(%(name)s::text, (select name from named)),
           'player_ref', %(ref)s::text)),
       corrected = corrected or (
           issues <> '[]'
           and profiles -> %(seat)s::text ->> 'player_ref' is distinct from %(ref)s::text)
 where game_id = %(game_id)s
returning profiles -> %(seat)s::text as profile;

-- name: issue
-- The issues of a result, with a fresh one if there is none or the last is outdated, and the
-- references that go with the last. On a second try the fresh one is there: should it be outdated
-- by then, it stays so.
update game_notes
   set issues = case
           when issues <> '[]' and not corrected then issues
           when issues @> jsonb_build_array(jsonb_build_object('id', %(id)s::text)) then issues
           else issues || %(issue)s end,
       corrected = corrected
           and issues @> jsonb_build_array(jsonb_build_object('id', %(id)s::text))
 where game_id = %(game_id)s
returning issues, profiles, corrected;
