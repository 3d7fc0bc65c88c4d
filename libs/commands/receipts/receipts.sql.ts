import type { Migration } from '#database/migrations.js';

/** The retention of responses, in SQL (docs/reference/http.md). */
export const RECEIPT_LIFETIME = `interval '7 days'`;

/**
 * Receipts of writes, as the baseline created them. Step 32 ({@link BEGINNING_OF_WRITES_MIGRATION}) drops the
 * functions, and the column of claims.
 */
export const IDEMPOTENCY_SCHEMA = `
create table idempotency_receipts (
  organisation_id text not null,
  environment text not null,
  key_id text not null,
  idempotency_key text not null,
  fingerprint text not null,
  holder integer not null,
  -- Null while the request runs.
  status smallint,
  body text,
  entity_tag text,
  request_id text not null,
  expires_at timestamptz not null,
  primary key (organisation_id, environment, key_id, idempotency_key)
);
create index idempotency_receipts_expires_at on idempotency_receipts (expires_at);

create function claim_idempotency_receipt(
  p_organisation text, p_environment text, p_key text, p_idempotency_key text, p_fingerprint text, p_request text,
  p_holder integer,
  out outcome text, out status smallint, out body text, out entity_tag text, out request_id text
) language plpgsql as $function$
declare
  found_receipt idempotency_receipts;
  is_prompt constant text := set_config('synchronous_commit', 'off', true);
begin
  insert into idempotency_receipts as r
    (organisation_id, environment, key_id, idempotency_key, fingerprint, holder, request_id, expires_at)
  values (p_organisation, p_environment, p_key, p_idempotency_key, p_fingerprint, p_holder, p_request, now() + ${RECEIPT_LIFETIME})
  on conflict do nothing;
  if found then outcome := 'claimed'; return; end if;

  select * into found_receipt from idempotency_receipts r
  where r.organisation_id = p_organisation and r.environment = p_environment and r.key_id = p_key
    and r.idempotency_key = p_idempotency_key
  for update;
  -- Released in between: the caller claims again.
  if not found then outcome := 'running'; return; end if;

  if found_receipt.expires_at > now() or found_receipt.status is null then
    if found_receipt.fingerprint <> p_fingerprint then outcome := 'conflict'; return; end if;
    if found_receipt.status is not null then
      outcome := 'stored';
      status := found_receipt.status;
      body := found_receipt.body;
      entity_tag := found_receipt.entity_tag;
      request_id := found_receipt.request_id;
      return;
    end if;
    -- A process runs one request under a key at a time, so an open claim of its own is one that it failed to close.
    if found_receipt.holder <> p_holder and not pg_try_advisory_xact_lock(1213486160, found_receipt.holder)
    then outcome := 'running'; return; end if;
  end if;

  update idempotency_receipts r set fingerprint = p_fingerprint, holder = p_holder, status = null, body = null,
    entity_tag = null, request_id = p_request, expires_at = now() + ${RECEIPT_LIFETIME}
  where r.organisation_id = p_organisation and r.environment = p_environment and r.key_id = p_key
    and r.idempotency_key = p_idempotency_key;
  outcome := 'claimed';
end $function$;

create function complete_idempotency_receipt(
  p_organisation text, p_environment text, p_key text, p_idempotency_key text, p_holder integer,
  p_status smallint, p_body text, p_entity_tag text, p_is_durable boolean
) returns void language plpgsql as $function$
declare
  is_prompt constant text := case when not p_is_durable then set_config('synchronous_commit', 'off', true) end;
begin
  update idempotency_receipts r set status = p_status, body = p_body, entity_tag = p_entity_tag
  where r.organisation_id = p_organisation and r.environment = p_environment and r.key_id = p_key
    and r.idempotency_key = p_idempotency_key and r.holder = p_holder and r.status is null;
end $function$;

create function release_idempotency_receipt(
  p_organisation text, p_environment text, p_key text, p_idempotency_key text, p_holder integer
) returns void language plpgsql as $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  delete from idempotency_receipts r
  where r.organisation_id = p_organisation and r.environment = p_environment and r.key_id = p_key
    and r.idempotency_key = p_idempotency_key and r.holder = p_holder and r.status is null;
end $function$;
`;

/** Stores the response to a write whose key was not claimed, unless its key has one. */
export const KEEP_RECEIPT_SQL = `
create function keep_idempotency_receipt(
  p_organisation text, p_environment text, p_key text, p_idempotency_key text, p_fingerprint text, p_request text,
  p_status smallint, p_body text, p_entity_tag text, p_is_durable boolean
) returns void language plpgsql as $function$
declare
  is_prompt constant text := case when not p_is_durable then set_config('synchronous_commit', 'off', true) end;
begin
  insert into idempotency_receipts
    (organisation_id, environment, key_id, idempotency_key, fingerprint, holder, status, body, entity_tag, request_id, expires_at)
  values (p_organisation, p_environment, p_key, p_idempotency_key, p_fingerprint, 0, p_status, p_body, p_entity_tag, p_request,
    now() + ${RECEIPT_LIFETIME})
  on conflict do nothing;
end $function$;
`;

/**
 * Functions that begin a write. `hold_locks` takes shared and exclusive advisory locks by their names, in the
 * order of their keys. `begin_write` also waits for another request under the idempotency key and returns its
 * response. Neither assigns a transaction id, so that the order of ids is the order of appends within a
 * stream. Requests share a lock with which an erasure waits for requests in progress. The migration drops the
 * claims of earlier releases with their process numbers, retirement notes and reservations.
 */
export const BEGINNING_OF_WRITES_MIGRATION: Migration = {
  version: 32,
  name: 'beginning of writes',
  oldestProgram: 32,
  sql: `
create index person_keys_destroyed on person_keys (organisation_id) where key is null;

create function hold_locks(p_shared text[], p_exclusive text[]) returns void language plpgsql as $function$
declare
  held record;
begin
  for held in
    select l.key, bool_or(l.is_exclusive) as is_exclusive from (
      select hashtextextended(s.name, 0) as key, false as is_exclusive from unnest(p_shared) as s (name)
      union all select hashtextextended(e.name, 0), true from unnest(p_exclusive) as e (name)) l
    group by l.key order by l.key
  loop
    if held.is_exclusive then perform pg_advisory_xact_lock(held.key); else perform pg_advisory_xact_lock_shared(held.key); end if;
  end loop;
end $function$;

create function begin_write(
  p_organisation text, p_environment text, p_key text, p_idempotency_key text, p_fingerprint text, p_streams text[],
  out outcome text, out erasures integer, out status smallint, out body text, out entity_tag text, out request_id text
) language plpgsql as $function$
declare
  found_receipt idempotency_receipts;
  usual_timeout constant text := current_setting('lock_timeout');
begin
  if p_idempotency_key is not null then
    begin
      perform set_config('lock_timeout', '2s', true);
      perform pg_advisory_xact_lock(
        hashtextextended(jsonb_build_array('receipt', p_organisation, p_environment, p_key, p_idempotency_key)::text, 0));
      perform set_config('lock_timeout', usual_timeout, true);
    exception when lock_not_available then
      outcome := 'running';
      return;
    end;
    select * into found_receipt from idempotency_receipts r
     where r.organisation_id = p_organisation and r.environment = p_environment and r.key_id = p_key
       and r.idempotency_key = p_idempotency_key and r.expires_at > now();
    if found then
      if found_receipt.fingerprint <> p_fingerprint then outcome := 'other_request'; return; end if;
      outcome := 'stored';
      status := found_receipt.status;
      body := found_receipt.body;
      entity_tag := found_receipt.entity_tag;
      request_id := found_receipt.request_id;
      return;
    end if;
  end if;
  perform hold_locks(case when p_organisation is null then '{}' else array['erasures of ' || p_organisation] end, p_streams);
  erasures := (select count(*) from person_keys k where k.organisation_id = p_organisation and k.key is null);
  outcome := 'begun';
end $function$;

drop function claim_idempotency_receipt, complete_idempotency_receipt, release_idempotency_receipt, keep_idempotency_receipt;
delete from idempotency_receipts where status is null;
alter table idempotency_receipts drop column holder, alter column status set not null;
drop function settle_reference_locks;
drop table retirements_under_way;
drop function reserve_person;
delete from work_email_reservations where not is_confirmed;
delete from provider_external_ids where not is_confirmed;
alter table provider_external_ids drop column is_confirmed, drop column reserved_at;
`,
};
