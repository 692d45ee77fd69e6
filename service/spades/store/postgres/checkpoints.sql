-- name: changes
-- Each game that grew since the last checkpoint, by its last event: among the transactions from
-- where that one stopped looking to the oldest that still runs, so that none is passed over. Where
-- it stopped means nothing if that is still to come: then the log was restored, and is new.
with last as (
    select size, root, made_at, upto from checkpoints order by size desc limit 1
), reach as (
    select pg_snapshot_xmin(pg_current_snapshot()) as upto
), moved as (
    select distinct on (e.game_id) e.game_id, e.version, e.hash
      from events e
     where e.xid >= coalesce((select l.upto from last l, reach r where l.upto <= r.upto), '0')
       and e.xid < pg_snapshot_xmin(pg_current_snapshot())
     order by e.game_id, e.version desc
), grown as (
    select array_agg(m.game_id::text order by m.game_id) as game_ids,
           array_agg(m.version order by m.game_id) as versions,
           array_agg(encode(m.hash, 'hex') order by m.game_id) as heads
      from moved m
     where m.version > coalesce(
           (select max(c.version) from checkpoint_entries c where c.game_id = m.game_id), 0)
)
select l.size, encode(l.root, 'hex') as root, l.made_at, r.upto::text,
       g.game_ids, g.versions, g.heads
  from reach r
 cross join grown g
  left join last l on true;

-- name: add_checkpoint
-- Compare-and-set of the last size and insert of everything, or nothing at all. Of two at once
-- the later waits for the earlier, then finds that its place is taken.
with head as (
    insert into checkpoints (size, after, root, made_at, upto)
    select %(size)s, %(after)s, decode(%(root)s, 'hex'), %(made_at)s, %(upto)s::text::xid8
     where %(after)s = coalesce((select max(size) from checkpoints), 0)
    on conflict do nothing
    returning after
), listed as (
    insert into checkpoint_entries (place, game_id, version, head)
    select head.after + e.number - 1, e.game_id, e.version, decode(e.head, 'hex')
      from head,
           unnest(%(game_ids)s::uuid[], %(versions)s::bigint[], %(heads)s::text[])
           with ordinality as e (game_id, version, head, number)
), grown as (
    insert into checkpoint_nodes (level, place, hash)
    select n.level, n.place, decode(n.hash, 'hex')
      from head,
           unnest(%(levels)s::smallint[], %(places)s::bigint[], %(hashes)s::text[])
           as n (level, place, hash)
)
select after from head;

-- name: same_checkpoint
-- Whether a checkpoint that could not be added is there: then this is the second try.
select size
  from checkpoints
 where size = %(size)s and after = %(after)s and root = decode(%(root)s, 'hex')
   and made_at = %(made_at)s;

-- name: checkpoint
select c.size, encode(c.root, 'hex') as root, c.made_at
  from checkpoints c
 where %(size)s::bigint is null or c.size = %(size)s
 order by c.size desc
 limit 1;

-- name: checkpoints
select c.size, encode(c.root, 'hex') as root, c.made_at
  from checkpoints c
 where %(before)s::bigint is null or c.size < %(before)s
 order by c.size desc
 limit %(limit)s;

-- name: nodes
select n.level::int, n.place, encode(n.hash, 'hex') as hash
  from unnest(%(levels)s::smallint[], %(places)s::bigint[]) as wanted (level, place)
  join checkpoint_nodes n on n.level = wanted.level and n.place = wanted.place;

-- name: entry_of
-- A game's entries stand in the list in the order of their versions.
select e.place, e.game_id::text, e.version, encode(e.head, 'hex') as head
  from checkpoint_entries e
 where e.game_id = %(game_id)s and e.place < %(size)s
 order by e.version desc
 limit 1;

-- name: entries_of
select e.game_id::text, e.version, encode(e.head, 'hex') as head
  from checkpoint_entries e
 where e.game_id = %(game_id)s
 order by e.version;
