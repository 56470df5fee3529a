/**
 * Names of tools, options and idioms, each with the words that describe it without the name:
 * `names: words`. Names before one colon mean the same. No entry was chosen by a pair of plans that judges the comparison
 * (docs/decisions/0174).
 */
export const GLOSSARY: Readonly<Record<string, string>> = {
  'containers and orchestration': `
    emptydir: ephemeral temporary scratch volume; hostpath: node host folder volume mount; configmap: config map settings;
    pvc persistentvolumeclaim: persistent volume claim; pv persistentvolume: persistent volume; hpa: autoscaler autoscale replicas;
    vpa: autoscaler vertical; pdb poddisruptionbudget: disruption budget; statefulset sts: stateful; daemonset ds: every node;
    initcontainer initcontainers: init container; sidecar: second container beside; crd crds: custom resource definition;
    crashloopbackoff: crash loop restart; imagepullbackoff errimagepull: image pull; imagepullpolicy: pull image;
    livenessprobe: liveness probe health; readinessprobe: readiness probe health; startupprobe: startup probe health;
    initialdelayseconds: initial delay; periodseconds: interval period; failurethreshold: failure tolerance attempts;
    timeoutseconds: timeout; terminationgraceperiodseconds terminationgraceperiod graceperiod: grace period shutdown termination;
    prestop: shutdown stop hook; poststart: start hook; maxsurge: surge rollout extra; maxunavailable: unavailable rollout;
    nodeselector: node label select pin schedule; nodeaffinity: node affinity pin; podantiaffinity antiaffinity: spread apart nodes;
    topologyspreadconstraints: spread zones; tolerations: taint tolerate; priorityclass: priority preempt; resourcequota: quota limit namespace;
    networkpolicy netpol: network policy traffic allow; serviceaccount sa: service account identity; rbac: role permission access;
    clusterrole clusterrolebinding: role permission; ingress: route proxy gateway; nodeport: port expose; loadbalancer: balancer;
    externalname: dns alias; hostnetwork: host network; hostalias hostaliases extrahosts: hosts entry; kustomize: overlay patch;
    helmfile: helm; argocd argo: gitops sync; flux: gitops sync; istio linkerd: mesh sidecar proxy; eks gke aks: kubernetes cluster;
    ecs fargate: container service task; ecr gcr ghcr: image registry; kubelet: node agent; etcd: cluster store; cni calico cilium: pod network plugin;
    privileged: root capabilities full access; capadd: capability; securitycontext: user permissions; runasuser runasnonroot: user root uid;
    fsgroup: group permissions volume; shmsize devshm: shared memory; tmpfs: memory ram disk; ulimit nofile: open files descriptors limit;
    healthcheck: health check probe; dependson: order wait after dependency; restartpolicy: restart; restartalways: restart keep;
    buildkit buildx: docker build; cacheto cachefrom: build cache export import; multistage: stages slim final; distroless: minimal base image;
    alpine: musl small slim base; scratch: empty base; slim: small base; dockerignore: build context exclude; entrypoint: start command;
    tini dumbinit: init pid signal zombie; expose: port; compose: docker services; swarm: cluster; podman: docker container;
    oomkilled oomkill: oom memory kill; cgroup: container limit; requests: reserve; evicted: evict pressure;`,
  'clouds and terraform': `
    cloudfront: cdn edge distribution; cloudflare fastly akamai: cdn edge; route53: dns zone record; elb alb nlb: load balancer; waf: firewall rules;
    s3 gcs: bucket object storage; ebs: disk volume; efs nfs: network share filesystem; rds: database instance managed; aurora: database cluster;
    dynamodb: table nosql; sqs: queue message; sns: topic notification; kinesis: stream; eventbridge: event bus; stepfunctions: state machine workflow;
    lambda: function serverless; apigateway: gateway endpoint; cognito: login user pool; iam: role policy permission; kms: key encryption;
    cloudwatch: logs metrics alarm; ec2: instance server vm; asg autoscalinggroup: instances scaling group; vpc: network; nat: egress outbound;
    sg securitygroup: firewall rules; nacl: firewall subnet; subnet: network range; igw: internet gateway; ssm: parameter session;
    provisionedconcurrency: warm instances cold start; reservedconcurrency: concurrency limit; coldstart: slow start warm;
    oac oai originaccesscontrol originaccessidentity: origin access private bucket; presigned: signed temporary url; publicread: public anonymous open read;
    spot preemptible: cheap interruptible; owner: admin full rights; tfstate: terraform state; forceunlock: release lock state;
    ignorechanges: ignore drift diff lifecycle; preventdestroy: protect deletion; createbeforedestroy: replace order new first;
    foreach: per each instance key; moved: rename address state; staterm: state remove forget; tfimport: adopt existing state;
    target: only single resource; refreshfalse norefresh: skip refresh state; parallelism: concurrent concurrency; taint: recreate force replace;
    replacetriggeredby: recreate trigger; datasource: lookup read; tfvars: variables values; workspace: environment; backend: state storage remote;
    terragrunt: terraform wrapper; localexec: local command script; nullresource: dummy trigger; pulumi cdk cloudformation: infrastructure code stack;
    ansible: playbook provision; packer: machine image; vault: secrets; oidc: federated identity token; sso: single login; mfa 2fa: second factor;`,
  databases: `
    postgres postgresql pg psql: database; mysql mariadb innodb: database; autovacuum: vacuum cleanup automatic; vacuumfull: rewrite reclaim compact bloat;
    sharedbuffers innodbbufferpoolsize bufferpool: buffer memory cache; workmem: sort memory session; maintenanceworkmem: memory index build;
    maxconnections: connection limit; statementtimeout: query timeout cancel long; locktimeout: wait lock; idleintransaction: idle transaction;
    effectivecachesize: cache planner; randompagecost: planner cost; seqscan sequentialscan: full scan; enableseqscan: full scan planner;
    pgbouncer: connection pool pooler; transactionpooling: pool transaction mode; forupdate: lock row; skiplocked: skip locked rows queue;
    nowait: wait lock; advisorylock pgadvisorylock: lock application; onconflict: upsert duplicate; upsert: insert update duplicate merge;
    concurrently: online background lock; explain: plan query; cte: subquery with; matview materializedview: precomputed view; partialindex: index where subset only;
    coveringindex: index include columns; compositeindex: index several columns; gin gist: index; brin: index range; btree: index; jsonb: json column;
    fk foreignkey: reference constraint; pk primarykey: id key; notnull: required mandatory null; unique: duplicate distinct constraint;
    serial autoincrement: integer id sequence; uuid guid: random id; ulid uuidv7: ordered id time; softdelete deletedat: deleted flag; cascade: delete children;
    deferrable deferred: later commit end constraint; savepoint: nested transaction; serializable: isolation strict; repeatableread: isolation; readcommitted: isolation;
    optimisticlocking optimisticlock optimistic: version column stale conflict reject; pessimisticlocking pessimistic: lock row exclusive;
    orderby: sort; groupby: aggregate; limitoffset offset: page; keyset cursor seek: page position; nplusone n+1: query per row each; prepared preparedstatement: statement prepare;
    orm: mapper models; activerecord sqlalchemy hibernate prisma typeorm sequelize: orm; alembic flyway liquibase knex: migration schema;
    replica readreplica: follower secondary copy; wal: write ahead log journal; pitr: recovery point; pgdump mysqldump: dump backup export; copyfrom copy: bulk load;
    partition partitioning: split ranges; shard sharding: split partition; denormalize denormalise: duplicate redundant; listennotify notify: notification event publish;
    mongo mongodb: document database; mongoose: mongo model; bson: document; aggregationpipeline: aggregate; redis valkey: cache store memory; flushall flushdb: empty clear wipe cache;
    lru: least evict oldest; ttl expires: expiry lifetime; bgsave rdb: snapshot dump; aof: append log persistence; sentinel: failover; pubsub: publish subscribe;
    multi exec: transaction; setnx redlock: lock distributed; elasticsearch opensearch: search index; bulkapi: batch; reindex: rebuild index; shards: partition;
    kafka: broker topic stream; maxpollintervalms: poll interval consumer time; maxpollrecords: batch size records poll; sessiontimeoutms: session timeout consumer;
    acks: acknowledge confirm; ackslate acklate: acknowledge after late done end; autocommit: commit offset automatic; rebalance: partition assignment group;
    exactlyonce: idempotent transaction duplicate; atleastonce: redeliver duplicate; dlq deadletter: failed messages queue aside; prefetch qos: outstanding messages count;
    rabbitmq rabbit amqp: broker queue; celery sidekiq resque bullmq bull rq: queue jobs background worker; visibilitytimeout: hidden redeliver;`,
  'languages and their builds': `
    tsconfig: typescript compiler options; strictnullchecks: null undefined check strict; skiplibcheck: skip declaration files types check libraries; esmoduleinterop: default import;
    tsignore tsexpecterror tsnocheck: silence suppress compiler type error; noimplicitany: any strict; isolatedmodules: single file; composite projectreferences: project references;
    dts declaration: types declaration; any: untyped loose; unknown: untyped safe; ascast: cast assert; esm mjs: module import; cjs commonjs: require module;
    turbo turbopack experimentalturbo: bundler fast; swc swcminify esbuild: compile minify transpile; terser uglify: minify; babel: transpile; treeshaking: unused drop; barrel: index reexport;
    splitchunks: chunk vendor split; codesplit codesplitting lazyload dynamicimport: split chunk lazy load import; sourcemap: map debug; hmr: hot reload dev; polyfill: shim old browser;
    base64 datauri dataurl: inline embed encode; externals: exclude bundle; alias: path map import; dedupe: duplicate copy single; resolutions overrides: force version pin transitive;
    legacypeerdeps: peer dependency conflicts ignore; peerdependency peerdeps: peer range; nohoist: hoist; lockfile packagelock yarnlock pnpmlock poetrylock cargolock gosum: lock versions;
    npmci frozenlockfile: clean install lock exact; nvm volta: node version; corepack: package manager; nodeoptions: node flags; maxoldspacesize: heap memory node limit; xmx: heap memory jvm;
    nodegyp: native compile addon; prebuild: binary; npx: run package; husky lintstaged precommit: hook before commit local; noverify: skip hook;
    importnocycle nocycle: circular cyclic import cycle rule; noexplicitany: any rule; eslintdisable: silence rule; nolint noqa: silence rule; prettier black: format;
    gil: python lock threads; asyncio: async loop; gather promiseall: concurrent all parallel together; semaphore: limit concurrent; tothread runinexecutor: thread offload blocking; uvloop: event loop;
    gunicorn uvicorn: server workers; pythonunbuffered unbuffered: buffer flush stdout immediate; pythonpath syspath: import path; pycache: bytecode; virtualenv venv: environment isolated; pyproject: package config;
    mypy pyright: type check; dataclass: class; slots: memory attributes; lrucache: memoize cache; multiprocessing: processes parallel; pandas: dataframe; chunksize: pieces batch; dtype: column type;
    numpy scipy: arrays; conda: environment package; wheel: prebuilt binary; sdist: source; editable: develop install; pydantic: validate models; monkeypatch: patch replace runtime;
    goroutine: concurrent; waitgroup: wait; syncpool: reuse buffers allocate; syncmutex rwmutex rwlock mutex: lock; syncmap: concurrent map; gogc: garbage collector gc less frequent; gomemlimit: memory limit gc;
    gomaxprocs: threads cpu cores; gomod: module dependencies; replacedirective: replace fork local; goprivate goproxy: module proxy private; vendoring: vendor copy; cgo cgoenabled: native c static;
    context ctx: cancel deadline; disablekeepalives: keepalive reuse connection off; maxidleconnsperhost maxidleconns: idle connections reuse; idleconntimeout: idle timeout; pprof: profile; raceflag: race detector;
    rc arc: shared pointer count; refcell: interior mutable borrow; boxdyn dynerror: boxed trait object; unwrap expect: panic; clone: copy; lifetime: borrow; unsafe: raw; thiserror anyhow: error type conversion;
    tokio: async runtime; spawnblocking: thread offload blocking; currentthread: single thread runtime; rayon: parallel threads; codegenunits: parallel compile units; lto thinlto: link optimize; optlevel: optimization;
    incremental: partial reuse; sccache ccache: compile cache; mold lld gold: linker fast; panicabort: unwind; buildrs: build script; serde: serialize; j1 jobs: single parallel job;
    gradle gradlew: build wrapper; configurationcache: config cache; buildcache: cache; daemon: background; kapt ksp: annotation processing; proguard r8: shrink minify; maven mvn pom: build; springboot spring: framework; jvm: java;
    virtualthreads loom: threads; completablefuture: async future; volatile: visibility atomic; synchronized: lock; g1gc zgc: garbage collector; metaspace: class memory; bundler gemfile: gems; rubocop: lint;
    cmake makefile: build; pch: precompiled header; asan msan ubsan valgrind: memory sanitizer check; lddpreload ldpreload: preload library; rpath: library path; static: linked; fpic: position independent;`,
  'web and browsers': `
    webp avif: image format convert compress smaller; woff woff2: font; srcset: responsive image sizes; preload: early load hint; prefetch preconnect: early hint; defer: late script; fetchpriority: priority;
    lcp: largest contentful paint; cls: layout shift; inp fid: input delay; ttfb: first byte; fouc fout foit: flash font unstyled; fontdisplay: font swap; criticalcss: inline css; lighthouse: audit;
    thead: table header; tbody: table rows; tfoot: table footer; div span: element; iframe: frame embed; svg: vector image; canvas: draw; modal dialog: popup; tooltip: hint; navbar: header menu; hamburger: menu;
    positionsticky: sticky css; positionfixed: fixed css; zindex: stacking above; overflowhidden overflowauto: scroll clip; flexbox: layout; willchange: layer compositor; boxsizing: padding width; important: specificity override;
    rem em px: units size; mediaquery: breakpoint responsive; darkmode: dark theme; arialabel: accessible name label; a11y: accessible accessibility screen reader; i18n l10n: translation locale; rtl: right left; title: tooltip attribute;
    tabindex: focus keyboard order; focustrap: focus modal; useeffect: effect; usememo reactmemo memo: memoize rerender; usecallback: stable callback memoize; usestate: state; useref: ref; usereducer reducer combinereducers: reducer state slices;
    usedeferredvalue usetransition starttransition: transition defer urgent; suspense: fallback loading; errorboundary: catch render error; ssr: server render; csr: client render; ssg: static build; isr: revalidate static; hydration: hydrate mismatch;
    nossr ssrfalse: client only render; useclient: client component; redux zustand mobx: store state; reactquery tanstack swr: fetch cache query; reactwindow reactvirtualized virtualscroll: virtualize list visible rows; contextprovider: context;
    classcomponent: class; functioncomponent hooks: hook function component; purecomponent: rerender skip; key: identity remount; vmodel: binding; ngzone: change detection; onpush: change detection; rxjs: observable stream;
    debounce: delay until typing pause; throttle: limit rate; raf requestanimationframe: frame animation; requestidlecallback: idle; intersectionobserver: visible scroll; resizeobserver: size; mutationobserver: dom change; webworker: worker thread;
    serviceworker: offline cache worker; indexeddb: browser database; sessionstorage: storage tab; localstorage: storage browser persist; bfcache: back forward; postmessage: message frame; websocket: socket live; sse eventsource: stream push;
    cors: cross origin header allow; accesscontrolalloworigin alloworigin: cors origin header; allowcredentials: cors cookies; preflight: options cors; csp contentsecuritypolicy: content policy script; unsafeinline: inline script allow; unsafeeval: eval allow; nonce: csp token;
    samesite: cookie cross site; httponly: cookie script; secureflag: cookie https; csrf xsrf: forgery token; xss: script injection; dompurify: sanitize html; innerhtml dangerouslysetinnerhtml: raw html insert; hsts: https force;
    axios fetch: http request; abortcontroller: cancel request; stalewhilerevalidate: stale refresh; etag ifnonematch: conditional; cachecontrol maxage: cache header expire; nostore nocache: uncached; immutable: forever cache; gzip brotli zstd: compress; http2 h2: multiplex; http3 quic: udp;
    seo: search engine; sitemap: urls; ogimage: preview; canonical: duplicate url; robots: crawl; utm: tracking; analytics: tracking; gtm: tag manager; storybook: components; tailwind: css utility; sass scss less: css; postcss: css; cssmodules: css scoped; shadowdom: isolated;`,
  'tests and pipelines': `
    playwright cypress selenium puppeteer webdriver testcafe: e2e browser end; waitfortimeout: sleep wait fixed delay; waitforselector: wait element; waitforresponse: wait network response; networkidle: wait network quiet; runmode retries: retry rerun failed;
    jest vitest mocha jasmine ava: test runner; runinband maxworkers1: serial single process one; detectopenhandles: handle leak; forceexit: quit kill after; faketimers usefaketimers: clock mock time; testtimeout jesttimeout settimeout: timeout limit; snapshot: golden recorded; globalsetup: once before all;
    beforeeach: setup each; aftereach: teardown cleanup; beforeall: setup once; mock stub spy: fake double; msw nock wiremock: mock http; datenow: clock time now; sinon: fake; testcontainers: container real database; fixture: test data setup; factory: test data;
    pytest unittest: python test; xdist nauto: parallel workers tests; conftest: fixture; autouse: every fixture; norandomly randomly: random order; parametrize: cases; flaky rerunfailures: retry rerun; hypothesis quickcheck fuzz: property random; coverage: covered; doctest: examples;
    junit testng: java test; mockito: mock; rspec minitest: ruby test; databasecleaner: clean truncate; capybara: browser; gotest: go test; tparallel: parallel; race: detector; insta: snapshot; nextest: runner; criterion: benchmark;
    ghactions githubactions gha: workflow pipeline ci; gitlabci circleci jenkins travis buildkite: pipeline ci; selfhosted: own runner; concurrencygroup cancelinprogress: cancel previous run queued; continueonerror allowfailure: ignore failure; failfast: stop first; matrix: combinations; artifact: output; needs: after depends;
    cachekey restorekeys: cache key; actionscache: cache; setupnode: node install; workflowdispatch: manual trigger; cron: schedule; pathsfilter: changed only; shard: split; merge queue: merge; codeowners: review; branchprotection: protected rule; linearhistory: merge commit forbid; squash: single commit;
    forcepush: push force overwrite; rebase: replay history; filterbranch filterrepo bfg: rewrite history purge; cherrypick: backport; bisect: search culprit; gitlfs lfs: large file; submodule: nested repository; shallow depth1: history partial; sparsecheckout: partial; stash: aside; amend: rewrite; reflog: history; gitattributes: line endings; gitignore: exclude;
    gitleaks trufflehog: secret scan; snyk dependabot renovate: dependency update; sonar: quality; semver: version; changelog: notes; canary: gradual rollout small; bluegreen: switch rollout; featureflag: toggle switch; rollback: revert previous; hotfix: urgent;`,
  'networks and systems': `
    nginx haproxy envoy traefik caddy: proxy reverse; proxyreadtimeout: upstream proxy timeout wait; proxybuffering: buffer; clientmaxbodysize: upload body limit size; keepalivetimeout: idle keepalive; workerconnections: connections limit; upstream: backend; ratelimit limitreq expressratelimit: throttle requests; trustproxy: forwarded header client ip; xforwardedfor: client ip header;
    econnreset connectionreset: reset peer; econnrefused: refused; etimedout: timeout; enospc: disk full space; emfile: many open files descriptors; eacces eperm: permission denied; enoent: missing file; eaddrinuse: port use; epipe: broken pipe; sigterm: terminate shutdown; sigkill: kill; sigint: interrupt; sighup: reload; segfault sigsegv: crash memory;
    429 toomanyrequests: throttle rate limit; 502 badgateway: gateway upstream; 503: unavailable; 504: gateway timeout; 401: unauthorized; 403: forbidden denied; 404: missing found; 413: large body; 500: server error; retryafter: wait header; backoff: exponential delay wait; jitter: random spread; circuitbreaker: break open trip; bulkhead: isolate pool; deadline: timeout; hedging: duplicate request;
    dns: resolve name lookup; ndots: dns search; cname: alias; arecord: address; resolvconf: dns resolver; mtls: client certificate mutual; tls ssl: https certificate; letsencrypt acme certbot: certificate; selfsigned: untrusted; sni: hostname; alpn: protocol; mtu: packet size; mss: packet; nagle nodelay tcpnodelay: delay small; soreuseport reuseport: share port; timewait: sockets closed; synbacklog somaxconn: backlog connections; conntrack: table connections; iptables nftables ufw: firewall; bgp: route; anycast: nearest; vpn wireguard: tunnel; ssh: shell remote; bastion: jump; socks: proxy; grpc: rpc; protobuf: schema messages; grpcweb: browser; graphql: query; dataloader: batch; rest: api; soap: xml; oauth: token login; saml: login; jwt jws: token signed; jwks: public keys; hs256 rs256: sign; pkce: code; refreshtoken: renew; bcrypt argon2 scrypt: password hash; hmac: signature secret; apikey: key token; basicauth: password; ldap: directory; totp: code;
    systemd: service unit; cron crontab: schedule; logrotate: rotate logs; journald: logs; sysctl: kernel parameter; overcommitmemory: overcommit memory; swappiness swap: swap memory; oomscoreadj: oom kill priority; nice ionice: priority; inotify: file watch events; fanotify: watch; epoll kqueue iouring: poll events; mmap: map memory file; fsync: flush disk durable; odirect: bypass cache; hugepages thp: large pages memory; numa: memory node; jemalloc tcmalloc mimalloc mallocarenamax: allocator memory malloc; dockersock dockersocket: docker socket; chmod chown: permission owner; sudo: root; setuid: root; selinux apparmor: security policy; seccomp: syscall filter; chroot: jail; ntp chrony: clock sync; zfs btrfs: filesystem; raid: disk; lvm: volume; rsync: copy sync; cifs smb: share; tar zip: archive; ffmpeg: video; sharp imagemagick: image resize; sqs: queue; smtp: mail; webhook: callback; idempotencykey idempotent: unique key duplicate once; outbox: table events; saga: compensate; cqrs: separate read write; eventsourcing: events log; debouncing: delay; singleton: global one; mutex: lock; deadlock: lock cycle; heartbeat: ping alive; leaderelection: leader single; gossip: peers; quorum: majority; crdt: merge; bloomfilter: probably; otel opentelemetry: trace; prometheus: metrics; grafana: dashboard; sentry: error report; datadog newrelic: monitor;`,
}
