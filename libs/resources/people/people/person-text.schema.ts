/** Writes the texts of `person-text.ts` into rows that were there before them; `people.json.int.spec.ts` compares the two. */
export const PERSON_TEXTS_BACKFILL = `
update people set
  identity_text = concat(
    to_char(identity_updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), E'\\n',
    '"id":', to_json(person_id), ',"work_email":', to_json(work_email), ',"first_name":', coalesce(to_json(first_name), 'null'),
    ',"preferred_name":', coalesce(to_json(preferred_name), 'null'), ',"last_name":', coalesce(to_json(last_name), 'null'),
    ',"display_name":', to_json(display_name), ',"staff_id":', coalesce(to_json(staff_id), 'null'), E'\\n',
    ',"created_at":"', to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"')
 where identity_revision is not null;
update people set
  employment_text = concat(
    to_char(employment_updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), E'\\n',
    ',"job_title":', coalesce(to_json(job_title), 'null'),
    ',"department":', coalesce(E'\\ndepartment ' || department_id || E'\\n', 'null'),
    ',"manager":', coalesce(E'\\nmanager ' || manager_id || E'\\n', 'null'),
    ',"work_place":', coalesce(E'\\nwork_place ' || work_place_id || E'\\n', 'null'),
    ',"work_type":', coalesce(E'\\nwork_type ' || work_type_id || E'\\n', 'null'),
    ',"working_pattern":', coalesce(E'\\nworking_pattern ' || working_pattern_id || E'\\n', 'null'),
    ',"contracted_weekly_minutes":', coalesce(to_json(contracted_weekly_minutes), 'null'),
    ',"full_time_weekly_minutes":', coalesce(to_json(full_time_weekly_minutes), 'null'), ',"fte":', coalesce(to_json(fte), 'null'),
    ',"status":', to_json(status), ',"start_date":', coalesce(to_json(start_date), 'null'), ',"end_date":', coalesce(to_json(end_date), 'null'))
 where employment_revision is not null;
`;

export const PERSON_TEXTS_SCHEMA = `
alter table people add column identity_text text, add column employment_text text;
set local timezone to 'UTC';
set local datestyle to 'ISO';
${PERSON_TEXTS_BACKFILL}`;
