-- What an audit needs beside the log: who read what is hidden, who sat where, which issue of a
-- result is the last, and the list of all games' heads that signed checkpoints are taken of.

-- The version before this one goes on serving. Writes wait while the two indexes over what is
-- there are built, reads don't; locks are taken in the order in which an append takes them.
lock table games in share row exclusive mode;

-- A player's seats are found by their reference, whichever seats they are. Entries go straight
-- into their place, so that no creation has to clear up after many others.
create index game_notes_of_player on game_notes
    using gin (jsonb_path_query_array(profiles, '$.*.player_ref') jsonb_path_ops)
    with (fastupdate = off);

create index events_that_end_games on events (xid, game_id, version)
    where type in ('game_finished', 'game_aborted');

-- `generations` of a game's viewer tokens by kind, where any were revoked. `issues` of its result
-- that were told, oldest first, and whether another reference has been noted since the last of
-- them: in one row with the profiles, so that issue and references always go together.
alter table game_notes
    add column generations jsonb not null default '{}' check (jsonb_typeof(generations) = 'object'),
    add column issues      jsonb not null default '[]' check (jsonb_typeof(issues) = 'array'),
    add column corrected   boolean not null default false;

alter table games add column quarantined boolean not null default false;

create table players (
    owner      text        not null,
    ref        text        not null,
    name       text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (owner, ref)
);

-- Who looked at what others may not see. A UUIDv7 begins with its time.
create table readings (
    game_id   uuid        not null,
    id        uuid        not null,
    at        timestamptz not null,
    token_id  text        not null,
    kind      text        not null,
    operation text        not null,
    version   bigint      not null check (version >= 0),
    primary key (game_id, id)
);

-- The list of all games' heads: how far a game's log had come when a checkpoint took it in.
create table checkpoint_entries (
    place   bigint primary key check (place >= 0),
    game_id uuid   not null,
    version bigint not null check (version > 0),
    head    bytea  not null check (octet_length(head) = 32),
    unique (game_id, version)
);

-- The Merkle tree over the list, by a node's level above the leaves and its place in that level.
create table checkpoint_nodes (
    level smallint not null check (level >= 0),
    place bigint   not null check (place >= 0),
    hash  bytea    not null check (octet_length(hash) = 32),
    primary key (level, place)
);

-- Each checkpoint follows another, and no two the same one. `upto` is how far in the feed's order
-- it has looked: the one thing here that may be set again, after a restore.
create table checkpoints (
    size    bigint      primary key,
    after   bigint      not null unique check (after >= 0 and after < size),
    root    bytea       not null check (octet_length(root) = 32),
    made_at timestamptz not null,
    upto    xid8        not null
);

-- A trigger may say what it guards, where that is not a whole table.
create or replace function refuse_to_rewrite() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only: % refused', coalesce(tg_argv[0], tg_table_name), lower(tg_op)
        using errcode = 'integrity_constraint_violation';
end
$$;

create trigger issues_are_only_added before update of issues on game_notes
    for each row when (new.issues <> old.issues and new.issues - -1 <> old.issues)
    execute function refuse_to_rewrite('game_notes.issues');

create trigger readings_are_never_changed before update or delete on readings
    for each row execute function refuse_to_rewrite();
create trigger readings_are_never_emptied before truncate on readings
    for each statement execute function refuse_to_rewrite();

create trigger entries_are_never_changed before update or delete on checkpoint_entries
    for each row execute function refuse_to_rewrite();
create trigger entries_are_never_emptied before truncate on checkpoint_entries
    for each statement execute function refuse_to_rewrite();

create trigger nodes_are_never_changed before update or delete on checkpoint_nodes
    for each row execute function refuse_to_rewrite();
create trigger nodes_are_never_emptied before truncate on checkpoint_nodes
    for each statement execute function refuse_to_rewrite();

create trigger checkpoints_are_never_changed
    before update of size, after, root, made_at or delete on checkpoints
    for each row execute function refuse_to_rewrite();
create trigger checkpoints_are_never_emptied before truncate on checkpoints
    for each statement execute function refuse_to_rewrite();

revoke all on players, readings, checkpoint_entries, checkpoint_nodes, checkpoints from public;

grant update (quarantined) on games to spades_app;
grant update (generations, issues, corrected) on game_notes to spades_app;
grant select, insert, delete, update (name, updated_at) on players to spades_app;
grant select, insert on readings, checkpoint_entries, checkpoint_nodes, checkpoints to spades_app;

grant select on checkpoint_entries, checkpoint_nodes, checkpoints to spades_reader;
