/**
 * Groups of words and phrases that mean about the same to a programmer. A word may be in several groups; `_` joins the
 * words of a phrase. No group was chosen by a pair of plans that judges the comparison (docs/decisions/0065).
 */
export const WORD_GROUPS: Readonly<Record<string, string>> = {
  'what is done': `
    raise increase bump grow extend enlarge lift expand widen boost higher longer larger bigger more double triple quadruple lengthen prolong;
    lower reduce decrease shrink cut shorten smaller fewer less halve diminish lessen narrow tighten;
    add introduce insert include attach append put place supply provide equip;
    remove delete drop discard strip eliminate clear wipe clean purge erase prune take_out get_rid_of throw_away cut_out weed_out rip_out evict empty;
    replace swap exchange substitute switch change trade supersede;
    create make build generate construct produce spin_up; upgrade update bump newer latest modernize move_up;
    downgrade pin older roll_back go_back revert put_back back_out step_back restore undo unroll previous earlier prior former last;
    pin freeze hold fix lock stick stay_on nail;
    store save keep hold persist retain write record remember stash stow park;
    read load fetch get retrieve pull obtain; cache memoize memoise memo prime warm remember reuse store keep;
    warm prewarm prime preheat prefill warmup; wait sleep delay pause await block linger hold_off hang_on stand_by;
    postpone defer delay later after late lazy lazily put_off;
    retry repeat rerun redo reattempt resend again try_again run_again once_more replay;
    send post push deliver emit publish dispatch transmit forward;
    check verify validate assert ensure inspect examine confirm test probe; parse tokenize tokenise lex decode;
    run execute launch start invoke call spawn; spawn fork start launch subprocess child;
    start begin boot startup launch init come_up spin_up initialization;
    stop kill terminate end quit abort exit halt shut_down shutdown cease;
    disable deactivate stop skip ignore suppress silence bypass relax exclude switch_off turn_off turned_off opt_out shut_off leave_off off mute;
    enable allow permit activate switch_on turn_on turned_on opt_in let on;
    ignore swallow suppress silence skip bypass disregard tolerate overlook discard mute hide;
    tolerate accept allow permit let forgive;
    lock mutex semaphore exclusive mutual_exclusion critical_section guard latch monitor;
    unlock release free let_go;
    serialize sequential sequentially queue one_at_a_time single_file in_turn one_by_one in_series serially single;
    parallel parallelize parallelise concurrently concurrent simultaneous simultaneously at_once fan_out side_by_side in_parallel multithreaded;
    split divide separate partition slice break_up shard chunk segment carve cut_up;
    merge combine join concatenate unite fold unify consolidate bring_together;
    move relocate transfer migrate shift carry; copy clone duplicate replicate mirror fork vendor;
    rename relabel call name; hide conceal mask cover shadow;
    show display reveal print present expose visible surface; ask query poll request;
    wrap surround enclose envelop encapsulate enclosing;
    force enforce compel coerce explicitly insist mandatory require;
    guess heuristic estimate infer detect sniff derive assume;
    detect find discover identify recognize recognise notice spot sniff autodetect determine;
    measure profile benchmark time instrument record;
    limit cap bound restrict constrain maximum max at_most threshold ceiling quota upper clamp throttle no_more_than at_the_most only;
    minimum min at_least floor lower; allocate reserve assign give grant; extract pick select choose take;
    pass inject hand give supply forward thread; reject refuse deny decline forbid disallow block;
    convert transform translate map turn cast normalize;
    normalize canonical canonicalize standardize normalise uniform; generate derive compute calculate;
    recalculate recompute refresh; refresh reload renew update;
    rebuild recreate regenerate reindex from_scratch start_over afresh; reset clear reinitialize restart;
    restart reboot bounce relaunch recycle; reinstall install; ship distribute deliver deploy release publish;
    deploy deployment rollout roll_out ship release go_live; share shared reuse common;
    isolate separate sandbox quarantine segregate own; quarantine skip exclude disable ignore;
    mark flag annotate tag label decorate; mock stub fake simulate double dummy;
    emulate emulation emulator simulate simulator; hardcode hardcoded constant literal fixed;
    override overrule overwrite supersede force; patch monkeypatch patched modify fix;
    intercept hook catch middleware; trigger fire invoke cause kick_off; schedule cron plan timer;
    rotate cycle renew roll; sort order arrange rank; filter exclude include select narrow; trim strip cut;
    pad fill stuff; join await wait; flush drain empty write_out sync; fsync sync flush; close shut end finish;
    open unlock start; track follow record watch trace; watch watcher monitor observe inotify listen;
    inline embed in_place include; externalize extract external pull_out factor_out; flatten flat unnest;
    bypass circumvent skip avoid go_around work_around; tune adjust tweak calibrate configure;
    configure set config configuration setting option setup; declare define state specify annotate;
    document describe explain; explain analyze analyse; synchronize sync align; align match agree same;
    throttle debounce ratelimit rate_limit slow_down; debounce delay wait coalesce;
    batch chunk bulk group together at_a_time; prefetch preload eager eagerly upfront ahead in_advance beforehand;
    eager eagerly upfront immediately at_once;
    precompute precalculate precompiled prebuild prebuilt ahead materialize; truncate shorten cut clip;
    round floor ceil; swap switch exchange; toggle switch flag; proxy forward relay tunnel gateway route through;
    redirect forward reroute; expire expiry expiration ttl time_to_live lifetime;
    invalidate expire purge bust evict clear; escape sanitize sanitise quote encode; sign signature hmac;
    encrypt cipher encryption; hash digest checksum fingerprint sha md5 crc; seed random randomize;
    shuffle random randomize;`,
  databases: `
    database db; postgres postgresql pg; mysql mariadb; sqlite sqlite3; mongo mongodb; redis valkey;
    dynamodb dynamo; row record entry tuple; column field attribute; table relation;
    query statement select lookup sql; index key; foreign_key fk reference constraint; primary_key pk id;
    transaction atomic begin commit all_or_nothing; rollback abort undo; isolation serializable;
    migration migrate schema alter; schema model structure definition; connection conn socket session;
    pool pooling pgbouncer; checkout acquire lease borrow;
    replica replicate secondary follower standby read_only slave; primary master leader;
    leader coordinator master elected; vacuum compact; compact compaction defragment; analyze statistics stats;
    planner optimizer; hint force; join lookup; eager include preload join;
    lazy lazily on_demand deferred defer as_needed when_needed; n+1 per each;
    cursor paging pagination paginate page offset keyset; upsert merge insert; deadlock lock stuck;
    wal write_ahead journal; snapshot backup dump; backup dump export snapshot archive;
    restore recover recovery import; trigger hook; stored_procedure function; view materialized;
    materialized precomputed; null undefined nil none missing; duplicate dedupe deduplicate unique repeated;
    unique distinct uniqueness; constraint restriction check; orm sequelize prisma typeorm hibernate;
    tenant customer organization org;`,
  caching: `
    cache caching cached memo store; cdn edge cloudfront cloudflare fastly; etag conditional revalidate;
    stale outdated obsolete old expired out_of_date; hit found; miss absent; lru eviction; memory heap ram resident memory_limit;
    localstorage local_storage; cookie session; key identifier; ttl expiry max_age lifetime;`,
  CI: `
    ci pipeline continuous_integration workflow runner; pipeline workflow job build;
    runner agent executor worker machine host box builder; job task stage step; step stage phase;
    matrix combination; artifact output; nightly night daily cron schedule every_night;
    flaky unstable intermittent flake random sporadic unreliable occasionally; suite tests;
    test spec suite testing case; assert expect assertion expectation; fixture sample setup; coverage covered;
    lint linter eslint; green pass succeed; red fail; commit check_in push; branch fork;
    pr pull_request merge_request; tag release version; github_actions workflow;
    continue_on_error allow_failure ignore tolerate; fail_fast failfast;
    timeout deadline expire time_limit give_up time_out abort; snapshot golden; headless browser;
    playwright puppeteer cypress selenium webdriver; e2e end_to_end browser integration; unit small;`,
  packaging: `
    library package dependency module lib; dependency deps dep requirement; install installation setup;
    lockfile lock_file package_lock shrinkwrap; peer peer_dependency; version release; range constraint;
    override resolution; registry repository index mirror; vendor vendored bundle copy; npm yarn pnpm;
    pip poetry uv; wheel manylinux; setuptools distutils; gem bundler; cargo crate; nuget dotnet; maven gradle;
    jar artifact; semver version; prebuilt binary precompiled; binary executable program; source src;
    from_source compile build; monorepo workspace; workspace folder; submodule submodules subtree; symlink link;
    transitive indirect; hoist lift; dedupe single;`,
  networking: `
    request call fetch roundtrip; response reply answer; http https; http2 h2; tls ssl https certificate;
    certificate cert ca; verification verify validation check; self_signed untrusted; trust accept;
    port endpoint socket; address ip host; ipv4 inet; ipv6 inet6; dns name_resolution resolver lookup hostname;
    resolver nameserver dns; host hostname; localhost loopback 127.0.0.1; interface nic adapter; bridge network;
    mtu packet frame segment; packet frame; bandwidth throughput; latency delay slow;
    keepalive keep_alive persistent heartbeat; heartbeat ping keepalive pulse; websocket ws socket;
    sse server_sent_events eventsource event_stream; push sse websocket; long_poll longpoll;
    poll polling ask interval periodically; proxy nginx gateway ingress reverse_proxy haproxy envoy;
    load_balancer balancer elb alb lb; header heading; cors cross_origin; body payload content; payload body data;
    multipart form; upload put transfer send; download fetch get; url link address uri; query_string parameter;
    redirect 301 302; status code; status state; retry_after backoff; backoff exponential exponentially increasing growing;
    jitter random; circuit_breaker breaker; firewall iptables security_group; vpn tunnel wireguard; ssh shell;
    tcp socket; udp datagram; nagle nodelay; buffer buffering; stream streaming pipe chunk;
    compress compression gzip zip brotli deflate; decompress unzip inflate gunzip; upstream backend origin;
    sticky affinity; webhook callback notification; callback handler listener; rest api; api endpoint service;
    grpc rpc; graphql query;`,
  concurrency: `
    thread worker goroutine; worker process thread; process worker daemon; goroutine routine; pool executor;
    race contention; atomic counter; channel queue; queue broker rabbitmq sqs backlog; buffered buffer;
    unbuffered blocking; async asynchronous asynchronously nonblocking background;
    synchronous synchronously sync blocking; promise future async await; await wait;
    event_loop main_thread ui_thread; main_thread ui; background async offload detached;
    offload outsource delegate hand_over hand_off; yield setimmediate give_way; spin busy; semaphore limit;
    deadlock hang stuck freeze stall; hang freeze stall stuck block; starve starvation; barrier fence;
    debounce throttle; cancel abort interrupt stop; interrupt signal; signal notify; sigterm terminate;
    sigkill kill; graceful gracefully; drain finish; lease claim; idempotent idempotency dedupe;
    consumer subscriber listener reader; producer publisher writer sender; subscribe listen;
    message event notification; topic subject channel; partition shard; offset position; rebalance reassign;
    kafka broker; group cohort;`,
  'build tools': `
    compile compiler build transpile; transpile babel swc; bundle bundler webpack rollup vite esbuild;
    webpack bundler; minify minification minifier uglify terser; tree_shake treeshake unused dead_code;
    source_map sourcemap; alias map; polyfill shim; target output; incremental partial; make makefile; cmake build;
    link linker ld lld; static statically; dynamic dynamically shared; header include; macro define;
    flag option switch argument parameter arg; optimization optimize optimise optimizer; debug debugging;
    strip remove; symbol name; type typing types annotation typings; cast coerce assertion; any unknown;
    strict strictness; import require load; export expose publish; esm module; commonjs cjs; declaration dts;
    generator codegen generated; jest vitest mocha; hot_reload hmr;`,
  'front end': `
    component widget element; element node; dom node; render rerender draw paint rendering; hydrate hydration;
    ssr server_side server_rendering server_rendered prerender on_the_server; client browser frontend;
    browser chrome firefox safari; page view screen route; modal dialog popup overlay; button control; form input;
    input field; click tap press; keyboard key; scroll scrolling; css stylesheet style; style css class;
    class selector; animate animation transition; image picture photo graphic img icon; font typeface;
    responsive mobile; mobile phone; viewport window screen; layout arrangement; flex grid; fixed sticky absolute;
    z_index stacking; state store; prop property attribute; effect useeffect; memo usememo; ref reference;
    context provider; event handler; listener handler; route router path; link anchor; tooltip popover;
    spinner loading loader placeholder; lazy_load lazy; list table; virtualize windowing virtual; visible view;
    accessible aria a11y; locale language i18n translation; timezone tz utc time_zone; date day time timestamp;
    color colour ansi; theme dark; webview embedded; template markup html; markup html; script javascript js;
    iframe frame; service_worker worker;`,
  'cloud and containers': `
    container docker image pod; pod container; docker podman container; dockerfile image; image base; layer step;
    volume mount; mount bind attach; kubernetes k8s cluster; deployment rollout; replica instance copy;
    node machine; autoscaler hpa scaler autoscaling; scale resize scaling; quota limit; memory_limit limit;
    evict move; eviction evict preemption; liveness readiness health healthcheck probe health_check;
    probe healthcheck; node_selector affinity; taint toleration; helm chart; terraform tofu; state tfstate;
    bucket s3 gcs blob object_storage; s3 bucket; lambda serverless function cloud_function; iam role policy;
    role permission; region zone; secret credential; vault secrets; instance vm machine server ec2;
    spot preemptible; swap memory; disk storage space; cpu core processor; arm64 arm aarch64; amd64 x86 x64;
    alpine musl; debian ubuntu glibc; qemu emulation; systemd unit service; service daemon server; cron crontab;
    env environment variable environment_variable; variable env;`,
  'security and accounts': `
    account user customer login; login session signin sign_in log_in; logout signout sign_out;
    auth authentication authenticate authorization authorize; token jwt credential bearer; refresh_token renew;
    password passphrase; permission permissions access right writable chmod; chown owner ownership own;
    admin administrator root superuser sudo; csrf xsrf; xss injection; allowlist whitelist allow_list;
    blocklist blacklist denylist deny_list; mask redact hide;`,
  'languages, files, data': `
    javascript js; typescript ts; python py; rust cargo; golang go; file document; folder directory dir;
    path location; temporary temp tmp scratch; filesystem fs disk; line row; text string; json jsonb; yaml yml;
    markdown md; csv spreadsheet; encoding charset codepage utf; utf unicode;
    regex regexp pattern regular_expression; array list vector; map dict dictionary hashmap hash; set unique;
    object record; tree hierarchy; graph network; recursion recursive recursively recurse;
    iterate iteration loop cycle; loop for; walk traverse iterate crawl visit traversal; integer int numeric number;
    float double decimal floating; money amount price currency; bool boolean; big large huge;
    many multiple several numerous; whole entire full complete everything all; partial part incremental;
    empty blank; first initial; last final previous; default fallback standard; fallback fall_back backup;
    fall_back revert switch; stable deterministic consistent reproducible; vary differ fluctuate;
    explicit explicitly manual manually by_hand; manual manually by_hand hand handwritten human;
    automatic automatically auto; permanent permanently forever never; short brief small;
    slow sluggish crawl lag slowly; fast quick speed performance perf accelerate; crash die panic segfault;
    error exception failure fault err; warning notice deprecation; log print logger logging trace; verbose debug;
    level severity; metric measurement; clock time; stack trace; leak grow; gc garbage_collection garbage_collector;
    heap memory; oom out_of_memory; descriptor handle fd; file_descriptor fd open_files nofile; ulimit limit;
    interval period every frequency; twice two; once one single; hour 60; nested nesting; depth level;
    parent ancestor; child descendant; legacy old; obsolete deprecated; reference ref; identifier id; uuid id;
    sequence order; version revision; history log; diff difference compare comparison;
    compare comparison diff match; match equal agree; tolerance epsilon; monolith single; service microservice;
    module component; plugin extension addon; hook callback; script command; cli command_line; shell bash sh;
    command cmd; argument arg parameter param flag; subprocess child; stdin input; stdout output; stderr error;
    exit quit leave; return give_back; null nil; throw raise; catch handle try_catch trycatch rescue;
    email mail smtp; sms text; pdf document; excel xlsx; video movie; audio sound; map location; search find lookup;
    sort order; rank score; embedding vector; model network; prompt text;`,
  'tools and what they do': `
    prettier format formatter black gofmt rustfmt style; eslint lint linter ruff flake8 rubocop pylint clippy;
    chokidar watcher watch nodemon; jest test tests vitest mocha pytest rspec junit unittest;
    tsc typescript compile compiler typecheck; gcc clang compiler cc make; ld linker link gold mold;
    ninja build make; gunicorn uvicorn worker server process;
    celery sidekiq bullmq worker queue job background resque; rabbitmq queue broker message;
    kafka broker queue topic stream; nginx proxy server upstream; redis cache store memory; memcached cache;
    elasticsearch search opensearch index; prometheus metric metrics monitor grafana; sentry error report reporting;
    datadog monitor metric newrelic; cloudflare cdn edge; s3 storage bucket blob;
    docker container image dockerfile compose; podman container; helm chart kubernetes; kubectl kubernetes k8s;
    git repository repo vcs; dependabot renovate update bot; husky hook commit; sqlalchemy orm; knex query;
    axios fetch http request; curl wget download fetch http; jwt token session; bcrypt argon2 scrypt hash password;
    oauth login auth sso; moment date time dayjs; lodash utility; ffmpeg video transcode convert;
    imagemagick sharp image resize; puppeteer browser headless chrome chromium; selenium webdriver browser;
    electron desktop; babel transpile compile; docker_compose compose; apt package install apk yum dnf brew;
    pip python install; npm node install package; nvm node version; rsync copy sync; tar archive zip;
    cron schedule timer periodic; systemd service daemon; bazel build; gradle build maven; valgrind leak memory;
    strace trace syscall; gdb debugger debug; cgroup container limit; gomaxprocs processor core cpu thread;
    nodelay nagle; strictnullchecks null; argon2id argon2; semver version;
    base64 encode encoded inline data_uri data; chardet encoding detect charset; sysctl kernel proc; swap paging;
    tmpfs ram memory; inotify watch watcher; epoll poll;`,
  'things and their parts': `
    shebang first_line interpreter; user_agent useragent ua; clock now date time;
    whole globally global all everywhere across every entire; everywhere all globally throughout; anywhere all;
    only just single sole; separate own dedicated distinct individual isolated; dedicated own separate special;
    same one single shared common identical; another other different separate; twice double two;
    number count amount size; size length count; half two; additional extra more another further;
    extra additional more; missing absent lost; new fresh newer; fresh clean new; unused dead orphaned;
    idle unused inactive; busy active loaded; alive living; pause wait stop suspend; suspend pause freeze;
    resume continue proceed; slower slow; faster fast speed; sooner earlier before; later after afterwards;
    before ahead prior previously; after following once; during while;
    at_startup startup start boot at_start when_it_starts; startup start boot launch begin; shutdown stop exit;
    runtime dynamically request_time at_request_time at_run_time on_the_fly; build_time compile compile_time;
    immediately instantly right_away straight_away at_once; periodic periodically regularly interval every;
    periodically every interval; per each every; each every; for_each per;
    on_error when_it_fails on_failure failure; fail break error failure die; break fail crash;
    failing broken failed; hourly hour 3600000ms; daily day nightly; minute 60000ms; second 1000ms; human readable;
    plain text raw; raw plain unprocessed; secret private hidden; private internal own; public open;
    internal private; shared common global; central single shared centralize; remote server;
    local disk machine own_disk; disk file local; network remote; cheap small light; number_of_retries attempts;
    attempts tries retries times; first initial beginning; last final end latest; top beginning head start;
    bottom end; head beginning front; left_over orphan stale; crash die fail segfault; stutter jank lag smooth;
    flicker blink flash; overlap cover; wrap around; key_press keystroke typing keypress; search_box search input;
    dropdown select menu; sidebar panel; header top; footer bottom; card item tile; item entry element record;
    entry record item; product item; order purchase; invoice bill receipt; payment charge; price amount cost;
    report export; export download dump; import upload load; message mail; notification alert message;
    avatar picture photo; thumbnail preview image; attachment file upload; document file page; comment note;
    post article; article post page; user account person; customer client user; team group organization;
    password secret; code script source; snippet code; patch diff change; commit change revision; change diff edit;
    edit modify change; typo spelling; doc readme; example sample demo; sample example subset; subset part some;
    part some half; some part certain; heavy large expensive; expensive slow costly; big huge giant; tiny small;
    allocate malloc memory; pointer reference; dangling freed; integer number; overflow wrap;
    precision accuracy rounding; rounding round precision; locale language; language translation; header field;
    label name tag; name title label; title heading name; unique distinct; identity id; prefix start; suffix end;
    delimiter separator; newline line_break crlf; whitespace space blank; comma separator; quote escape; parse read;
    serialise serialize encode marshal stringify; deserialize parse decode unmarshal; marshal serialize;
    encode convert; decode convert parse; stringify json serialize; validate schema check zod; schema validation;
    guard check condition; condition check if; branch condition; loop repeat; repeat loop again; recursive depth;
    stack recursion; heap sort; tree branch; leaf node; graph edge; edge border; border outline;
    margin padding space; hash map; lookup find index search; scan walk read; full_scan sequential; filter where;
    where condition filter; aggregate sum group; sum total add; total sum count; average mean; estimate approximate;
    approximate estimate rough; exact precise; strict exact; loose relaxed lenient; lenient relax tolerant;
    relax loosen weaken soften lenient; loosen relax; tighten strict; weaken relax; harden secure protect;
    secure safe protect; protect guard secure; safe secure; unsafe dangerous; attempt try; trial experiment;
    experiment try; opt choose; prefer choose; force must; must require; require need; depend require need;
    rely depend; cover contain; contain include hold; consist contain; own have; belong own; connect link join;
    link connect; disconnect close drop; attach connect; detach separate; mount attach; plug attach; expose open;
    hide close; seal close; keep_alive persistent reuse; reuse share keep; recycle reuse restart;
    rewrite refactor redo rework; refactor rewrite restructure; restructure reorganize refactor;
    reorder rearrange order sort; rearrange reorder; swap reorder; nest inside; inside within in; within inside;
    outside external; beside next; behind after; above over up; below under; beneath under;`,
  'the rest': `
    raise bump increase grow extend enlarge lift higher longer allocate;
    replace swap exchange substitute migrate convert switch change move; upgrade update bump newer latest move;
    downgrade pin older freeze fix; send post push deliver emit publish dispatch sender;
    check verify validate assert ensure inspect expect verification validation assertion;
    parse tokenize tokenise tokenizer lex decode feed; stop kill terminate end quit abort sigkill exit;
    folder directory dir workspace; server backend service daemon; certificate cert tls ssl https;
    lazy lazily defer deferred late; asynchronous asynchronously async await promise; promise then chain;
    date timestamp datetime; clock time timezone tz; detect guess sniff infer recognize recognise discover;
    global globally singleton wide; copy vendor vendored duplicate; patch patched modify modified monkey;
    count total; random arbitrary; bind listen; scale resize resizing; virtual virtualize virtualise;
    import importing; native addon; dynamically runtime; back backoff backwards; visibility hide visible;
    yield yielding setimmediate; gc garbage collection; previous earlier older former revert rollback;
    anonymous unnamed nameless; finish finished complete completed done ready; continue proceed resume;
    global single one; color ansi highlight; derive compute calculate infer; repository repo; production prod;
    development dev; subtree submodule vendor; connect connection; reset abort; definition schema declaration;
    upgrade renew; redirect forward route; prefix beginning; suffix ending; slow slowly latency;
    crash segfault abort; broken corrupt damaged; sanitise clean; lookup resolve resolution;
    mirror replica replicate; fallback fall; expand unfold; collapse fold; format prettify reformat;
    endpoint route handler controller; middleware interceptor hook; event signal message notification;
    flag option switch toggle; cast coerce convert; measure profile benchmark metric;
    machine host box instance vm runner; skip omit leave; catch handle handler; reject rejection rejected;
    emulate emulation simulate simulation; package pkg; attribute attr property prop;
    initialize init initial initialise; documentation docs doc; oom outofmemory; split break divide slice;
    stop prevent prevents halt; merge join squash; cut drop sever close; whole entire complete monolithic;
    function func fn method; backport cherrypick pick; group batch cohort; visible shown display show;
    space room capacity; silently quietly;`,
}
