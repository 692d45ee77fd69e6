-- The log of every game, the head of each log, and what stands beside it, because a game is
-- its events and everything else can be worked out, erased or looked up.

-- Roles. The serving role reads and appends; the reading role follows the log and never sees
-- a secret. Either may exist already, made by an operator or, since roles belong to the whole
-- server, by a starter on another database at this moment. Whoever migrates takes part in them
-- if it may, so that one login can do everything; the tables' owner need not.
do $$
declare
    wanted text;
begin
    foreach wanted in array array['spades_app', 'spades_reader'] loop
        if to_regrole(wanted) is null then
            begin
                execute format('create role %I nologin', wanted);
            exception
                when duplicate_object or unique_violation then null;
            end;
        end if;
        if not pg_has_role(current_user, wanted, 'usage') then
            begin
                execute format('grant %I to %I', wanted, current_user);
            exception
                when insufficient_privilege or unique_violation then null;
            end;
        end if;
    end loop;
end
$$;

-- The head of each game: which version its log has reached, and the chain's hash there.
-- No index on a column that an append changes, so that appends stay within their page.
create table games (
    game_id    uuid        primary key,
    version    bigint      not null check (version > 0),
    head       bytea       not null check (octet_length(head) = 32),
    status     text        not null check (status in ('seating', 'active', 'paused', 'finished', 'aborted')),
    ruleset    text        not null,
    owner      text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
) with (fillfactor = 70);

create index games_of_owner on games (owner, game_id desc) where owner is not null;

-- Names, references and metadata: beside the log, so that they can be erased.
create table game_notes (
    game_id  uuid  primary key,
    profiles jsonb not null default '{}' check (jsonb_typeof(profiles) = 'object'),
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object')
);

-- The log. `public` is what is served, exported and hashed; `secret` opens its leaves by
-- pointer; `xid` puts all games' events into an order that readers can follow.
create table events (
    game_id uuid     not null,
    version bigint   not null check (version > 0),
    type    text     not null,
    schema  smallint not null check (schema > 0),
    public  jsonb    not null check (jsonb_typeof(public) = 'object'),
    secret  jsonb    check (jsonb_typeof(secret) = 'object'),
    hash    bytea    not null check (octet_length(hash) = 32),
    xid     xid8     not null default pg_current_xact_id(),
    primary key (game_id, version)
);

create index events_feed on events (xid, game_id, version);

create table idempotency_keys (
    owner      text        not null,
    key        text        not null check (length(key) between 1 and 255),
    body_hash  bytea       not null check (octet_length(body_hash) = 32),
    game_id    uuid        not null,
    created_at timestamptz not null default now(),
    primary key (owner, key)
);

create table platform_keys (
    id         text        primary key,
    name       text        not null check (length(name) between 1 and 100),
    key_hash   bytea       not null unique check (octet_length(key_hash) = 32),
    created_at timestamptz not null,
    revoked_at timestamptz
);

-- Append-only: privileges are the wall, the triggers the alarm that also stops the owner's slip.
create function refuse_to_rewrite() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only: % refused', tg_table_name, lower(tg_op)
        using errcode = 'integrity_constraint_violation';
end
$$;

create trigger events_are_never_changed before update or delete on events
    for each row execute function refuse_to_rewrite();
create trigger events_are_never_emptied before truncate on events
    for each statement execute function refuse_to_rewrite();

revoke all on games, game_notes, events, idempotency_keys, platform_keys from public;

grant select, insert on games, game_notes, events, idempotency_keys, platform_keys to spades_app;
grant update (version, head, status, updated_at) on games to spades_app;
grant update (profiles, metadata) on game_notes to spades_app;
grant update (revoked_at) on platform_keys to spades_app;

grant select on games to spades_reader;
grant select (game_id, version, type, schema, public, hash, xid) on events to spades_reader;
