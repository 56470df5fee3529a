/** A wider concept, and the stem of a word by which a module is named after it. */
interface Wider {
  readonly concepts: readonly string[]
  readonly word?: string
}

const DATABASE: Wider = { concepts: ['relational-database'], word: 'databas' }
const BUCKET: Wider = { concepts: ['object-storage'] }
const CLUSTER: Wider = { concepts: ['kubernetes'] }
const NETWORK: Wider = { concepts: ['virtual-network'] }

/**
 * Concepts that are a kind or a part of a wider one. A module that says the wider concept and mentions the other one
 * anywhere is about both ("RDS resources", whose README has MariaDB).
 */
export const WIDER: Readonly<Record<string, Wider>> = {
  postgresql: DATABASE,
  mysql: DATABASE,
  mssql: DATABASE,
  aurora: DATABASE,
  'database-settings': DATABASE,
  'object-lifecycle': BUCKET,
  'public-access': BUCKET,
  versioning: BUCKET,
  'static-website': BUCKET,
  'node-pool': CLUSTER,
  'node-autoscaling': CLUSTER,
  'private-cluster': CLUSTER,
  'flow-logs': NETWORK,
  subnet: NETWORK,
  nat: NETWORK,
  'internet-gateway': NETWORK,
  routing: NETWORK,
  'gateway-authorizer': { concepts: ['api-gateway'] },
  'dns-record': { concepts: ['dns'] },
  spot: { concepts: ['virtual-machine', 'autoscaling'] },
}
