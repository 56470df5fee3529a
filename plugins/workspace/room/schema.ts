import type { Schema, Statements } from '../domain/rows.ts'

/**
 * The room's tables. A row is a JSON document; the columns beside it are what queries need. `n` is the id of the event
 * that came with the row, so it orders rows as they were made.
 */
export const SCHEMA: Schema = {
  version: 1,
  ddl: `
CREATE TABLE workspace (id INTEGER PRIMARY KEY CHECK (id = 1), fence INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE version (version INTEGER PRIMARY KEY, hash TEXT NOT NULL, bytes INTEGER NOT NULL, kept INTEGER NOT NULL, json TEXT NOT NULL);
CREATE INDEX version_hash ON version (hash) WHERE kept = 1;
CREATE INDEX version_kept ON version (version) WHERE kept = 1;
CREATE TABLE event (event_id INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE proposal (id TEXT PRIMARY KEY, n INTEGER NOT NULL, status TEXT NOT NULL, participant_id TEXT NOT NULL, hash TEXT, json TEXT NOT NULL);
CREATE INDEX proposal_n ON proposal (n);
CREATE INDEX proposal_status ON proposal (status, n);
CREATE INDEX proposal_hash ON proposal (hash) WHERE hash IS NOT NULL;
CREATE INDEX proposal_settled ON proposal (n) WHERE status NOT IN ('pending', 'approved') AND hash IS NOT NULL;
CREATE TABLE lease (id TEXT PRIMARY KEY, n INTEGER NOT NULL, status TEXT NOT NULL, participant_id TEXT NOT NULL, expires_at TEXT NOT NULL, json TEXT NOT NULL);
CREATE INDEX lease_status ON lease (status, expires_at);
CREATE INDEX lease_n ON lease (n);
CREATE TABLE participant (id TEXT PRIMARY KEY, n INTEGER NOT NULL, is_left INTEGER NOT NULL, name TEXT NOT NULL, json TEXT NOT NULL);
CREATE INDEX participant_left ON participant (is_left, n);
CREATE TABLE invitation (id TEXT PRIMARY KEY, n INTEGER NOT NULL, secret_hash TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE INDEX invitation_n ON invitation (n);
CREATE TABLE session (id TEXT PRIMARY KEY, n INTEGER NOT NULL, token_hash TEXT NOT NULL UNIQUE, participant_id TEXT NOT NULL, ended INTEGER NOT NULL, expires_at TEXT NOT NULL, json TEXT NOT NULL);
CREATE INDEX session_ended ON session (ended, expires_at);
CREATE INDEX session_n ON session (n);
CREATE INDEX session_participant ON session (participant_id, n);
CREATE TABLE handoff (id TEXT PRIMARY KEY, n INTEGER NOT NULL, task_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, json TEXT NOT NULL);
CREATE INDEX handoff_n ON handoff (n);
CREATE INDEX handoff_status ON handoff (status, n);
CREATE TABLE handoff_record (id TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE replay (participant_id TEXT NOT NULL, key TEXT NOT NULL, n INTEGER NOT NULL, stored_at TEXT NOT NULL, hash TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (participant_id, key));
CREATE INDEX replay_n ON replay (participant_id, n);
CREATE INDEX replay_stored ON replay (stored_at);
`,
}

const PUT = 'ON CONFLICT (id) DO UPDATE SET'

/** The fixed table of SQL. The journal stores the numbers: one is never given a new meaning. */
export const STATEMENTS: Statements = {
  workspace_add: { id: 1, sql: 'INSERT INTO workspace (id, fence, json) VALUES (1, 0, :json)' },
  workspace_set: { id: 2, sql: 'UPDATE workspace SET json = :json WHERE id = 1' },
  workspace_get: { id: 3, sql: 'SELECT fence, json FROM workspace WHERE id = 1' },
  fence_set: { id: 4, sql: 'UPDATE workspace SET fence = :fence WHERE id = 1' },

  version_add: {
    id: 10,
    sql: 'INSERT INTO version (version, hash, bytes, kept, json) VALUES (:version, :hash, :bytes, 1, :json)',
  },
  version_get: { id: 11, sql: 'SELECT json, kept FROM version WHERE version = :version' },
  version_page: {
    id: 12,
    sql: 'SELECT json FROM version WHERE version > :since AND version < :before ORDER BY version DESC LIMIT :limit',
  },
  version_texts: {
    id: 13,
    sql: 'SELECT version, hash, bytes FROM version WHERE kept = 1 ORDER BY version DESC',
  },
  version_drop: { id: 14, sql: 'UPDATE version SET kept = 0 WHERE version = :version' },
  text_users: {
    id: 15,
    sql: 'SELECT (SELECT count(*) FROM version WHERE kept = 1 AND hash = :hash) + (SELECT count(*) FROM proposal WHERE hash = :hash) AS users',
  },

  event_add: { id: 20, sql: 'INSERT INTO event (event_id, json) VALUES (:id, :json)' },
  event_trim: { id: 21, sql: 'DELETE FROM event WHERE event_id <= :floor' },
  event_after: {
    id: 22,
    sql: 'SELECT json FROM event WHERE event_id > :since ORDER BY event_id LIMIT :limit',
  },
  event_newest: { id: 23, sql: 'SELECT json FROM event ORDER BY event_id DESC LIMIT :limit' },
  event_oldest: { id: 24, sql: 'SELECT coalesce(min(event_id), 0) AS oldest FROM event' },

  proposal_put: {
    id: 30,
    sql: `INSERT INTO proposal (id, n, status, participant_id, hash, json) VALUES (:id, :n, :status, :participant_id, :hash, :json) ${PUT} status = excluded.status, hash = excluded.hash, json = excluded.json`,
  },
  proposal_get: { id: 31, sql: 'SELECT json, hash FROM proposal WHERE id = :id' },
  proposal_page: {
    id: 32,
    sql: 'SELECT json, n FROM proposal WHERE n < :before AND (:status IS NULL OR status = :status) ORDER BY n DESC LIMIT :limit',
  },
  proposal_open: {
    id: 33,
    sql: "SELECT json FROM proposal WHERE status IN ('pending', 'approved') ORDER BY n",
  },
  proposal_pending_of: {
    id: 34,
    sql: "SELECT count(*) AS count FROM proposal WHERE status = 'pending' AND participant_id = :participant_id",
  },
  proposal_settled_texts: {
    id: 35,
    sql: "SELECT id, hash, json FROM proposal WHERE status NOT IN ('pending', 'approved') AND hash IS NOT NULL ORDER BY n DESC LIMIT 1000 OFFSET :kept",
  },
  proposal_count: { id: 36, sql: 'SELECT count(*) AS count FROM proposal WHERE status = :status' },

  lease_put: {
    id: 40,
    sql: `INSERT INTO lease (id, n, status, participant_id, expires_at, json) VALUES (:id, :n, :status, :participant_id, :expires_at, :json) ${PUT} status = excluded.status, expires_at = excluded.expires_at, json = excluded.json`,
  },
  lease_get: { id: 41, sql: 'SELECT json FROM lease WHERE id = :id' },
  lease_active: { id: 42, sql: "SELECT json FROM lease WHERE status = 'active' ORDER BY n" },
  lease_page: {
    id: 43,
    sql: "SELECT json, n FROM lease WHERE status = 'active' AND expires_at > :now AND n > :after ORDER BY n LIMIT :limit",
  },

  participant_put: {
    id: 50,
    sql: `INSERT INTO participant (id, n, is_left, name, json) VALUES (:id, :n, :is_left, :name, :json) ${PUT} is_left = excluded.is_left, name = excluded.name, json = excluded.json`,
  },
  participant_get: { id: 51, sql: 'SELECT json FROM participant WHERE id = :id' },
  participant_present: { id: 52, sql: 'SELECT json FROM participant WHERE is_left = 0 ORDER BY n' },
  participant_page: {
    id: 53,
    sql: 'SELECT json, n FROM participant WHERE is_left = 0 AND n > :after ORDER BY n LIMIT :limit',
  },
  participant_left_page: {
    id: 54,
    sql: 'SELECT json, n FROM participant WHERE is_left = 1 AND n < :before ORDER BY n DESC LIMIT :limit',
  },

  invitation_put: {
    id: 60,
    sql: `INSERT INTO invitation (id, n, secret_hash, json) VALUES (:id, :n, :secret_hash, :json) ${PUT} json = excluded.json`,
  },
  invitation_get: { id: 61, sql: 'SELECT json FROM invitation WHERE id = :id' },
  invitation_by_secret: { id: 62, sql: 'SELECT json FROM invitation WHERE secret_hash = :secret_hash' },
  invitation_page: {
    id: 63,
    sql: 'SELECT json, n FROM invitation WHERE n < :before ORDER BY n DESC LIMIT :limit',
  },

  session_put: {
    id: 70,
    sql: `INSERT INTO session (id, n, token_hash, participant_id, ended, expires_at, json) VALUES (:id, :n, :token_hash, :participant_id, :ended, :expires_at, :json) ${PUT} ended = excluded.ended, expires_at = excluded.expires_at, json = excluded.json`,
  },
  session_get: { id: 71, sql: 'SELECT json FROM session WHERE id = :id' },
  session_by_token: { id: 72, sql: 'SELECT json FROM session WHERE token_hash = :token_hash' },
  session_open: { id: 73, sql: 'SELECT json FROM session WHERE ended = 0 ORDER BY n' },
  session_page: {
    id: 74,
    sql: 'SELECT json, n FROM session WHERE n < :before ORDER BY n DESC LIMIT :limit',
  },
  session_live_page: {
    id: 76,
    sql: 'SELECT json, n FROM session WHERE ended = 0 AND expires_at > :now AND n < :before ORDER BY n DESC LIMIT :limit',
  },
  session_newest_of: {
    id: 77,
    sql: 'SELECT json FROM session WHERE participant_id = :participant_id ORDER BY n DESC LIMIT 1',
  },
  session_first_of: {
    id: 75,
    sql: 'SELECT json FROM session WHERE participant_id = :participant_id ORDER BY n LIMIT 1',
  },

  handoff_put: {
    id: 80,
    sql: `INSERT INTO handoff (id, n, task_id, status, json) VALUES (:id, :n, :task_id, :status, :json) ${PUT} status = excluded.status, json = excluded.json`,
  },
  handoff_get: { id: 81, sql: 'SELECT json FROM handoff WHERE id = :id' },
  handoff_by_task: { id: 82, sql: 'SELECT json FROM handoff WHERE task_id = :task_id' },
  handoff_page: {
    id: 83,
    sql: 'SELECT json, n FROM handoff WHERE n < :before AND (:status IS NULL OR status = :status) ORDER BY n DESC LIMIT :limit',
  },
  handoff_open: {
    id: 84,
    sql: "SELECT json FROM handoff WHERE status IN ('created', 'accepted', 'result_ready') ORDER BY n",
  },
  handoff_record_add: { id: 85, sql: 'INSERT INTO handoff_record (id, json) VALUES (:id, :json)' },
  handoff_record_get: { id: 86, sql: 'SELECT json FROM handoff_record WHERE id = :id' },

  replay_get: {
    id: 90,
    sql: 'SELECT hash, stored_at, json FROM replay WHERE participant_id = :participant_id AND key = :key',
  },
  replay_put: {
    id: 91,
    sql: 'INSERT OR REPLACE INTO replay (participant_id, key, n, stored_at, hash, json) VALUES (:participant_id, :key, :n, :stored_at, :hash, :json)',
  },
  replay_trim_age: { id: 92, sql: 'DELETE FROM replay WHERE stored_at < :floor' },
  replay_trim_below: {
    id: 95, // 93 counted rows at every call
    sql: 'DELETE FROM replay WHERE participant_id = :participant_id AND n <= :floor',
  },
  replay_next: {
    id: 94,
    sql: 'SELECT coalesce(max(n), 0) + 1 AS n FROM replay WHERE participant_id = :participant_id',
  },
}
