CREATE TABLE checkpoint_blobs (
    thread_id text NOT NULL,
    checkpoint_ns text DEFAULT ''::text NOT NULL,
    channel text NOT NULL,
    version text NOT NULL,
    type text NOT NULL,
    blob bytea
);
CREATE TABLE checkpoint_migrations (
    v integer NOT NULL
);
CREATE TABLE checkpoint_writes (
    thread_id text NOT NULL,
    checkpoint_ns text DEFAULT ''::text NOT NULL,
    checkpoint_id text NOT NULL,
    task_id text NOT NULL,
    idx integer NOT NULL,
    channel text NOT NULL,
    type text,
    blob bytea NOT NULL
);
CREATE TABLE checkpoints (
    thread_id text NOT NULL,
    checkpoint_ns text DEFAULT ''::text NOT NULL,
    checkpoint_id text NOT NULL,
    parent_checkpoint_id text,
    type text,
    checkpoint jsonb NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL
);
INSERT INTO checkpoint_blobs VALUES ('done', '', '__start__', '1', 'json', '\x7b2278223a5b22696e225d7d');
INSERT INTO checkpoint_blobs VALUES ('done', '', '__start__', '2', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', '2', 'json', '\x5b22696e225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:a', '2', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', '3', 'json', '\x5b22696e222c2261225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:a', '3', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 's', '3', 'json', '\x22686922');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:b', '3', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:c', '3', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('done', '', '__pregel_tasks', '3', 'json', '\x5b7b226e6f6465223a2277222c2261726773223a7b2269223a317d7d2c7b226e6f6465223a2277222c2261726773223a7b2269223a327d7d5d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', '4', 'json', '\x5b22696e222c2261222c2262222c2263222c227731222c227732225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:b', '4', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:c', '4', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', '__pregel_tasks', '4', 'json', '\x5b5d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'join:b+c:d', '4', 'json', '\x5b2262222c2263225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', '6', 'json', '\x5b22696e222c2261222c2262222c2263222c227731222c227732222c2264225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'join:b+c:d', '5', 'json', '\x5b5d');
INSERT INTO checkpoint_blobs VALUES ('done', '', '__start__', '7', 'json', '\x7b2278223a5b22616761696e225d7d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', '8', 'json', '\x5b22696e222c2261222c2262222c2263222c227731222c227732222c2264222c22616761696e225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', '__start__', '8', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:a', '8', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('done', '', 's', '9', 'json', '\x22686922');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', '9', 'json', '\x5b22696e222c2261222c2262222c2263222c227731222c227732222c2264222c22616761696e222c2261225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:a', '9', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:b', '9', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:c', '9', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('done', '', '__pregel_tasks', '9', 'json', '\x5b7b226e6f6465223a2277222c2261726773223a7b2269223a317d7d2c7b226e6f6465223a2277222c2261726773223a7b2269223a327d7d5d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', '10', 'json', '\x5b22696e222c2261222c2262222c2263222c227731222c227732222c2264222c22616761696e222c2261222c2262222c2263222c227731222c227732225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'join:b+c:d', '10', 'json', '\x5b2262222c2263225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:b', '10', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:c', '10', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', '__pregel_tasks', '10', 'json', '\x5b5d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', '12', 'json', '\x5b22696e222c2261222c2262222c2263222c227731222c227732222c2264222c22616761696e222c2261222c2262222c2263222c227731222c227732222c2264225d');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'join:b+c:d', '11', 'json', '\x5b5d');
INSERT INTO checkpoint_blobs VALUES ('waits', '', '__start__', '1', 'json', '\x7b2278223a5b22696e225d2c2261736b223a747275657d');
INSERT INTO checkpoint_blobs VALUES ('waits', '', '__start__', '2', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'x', '2', 'json', '\x5b22696e225d');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'ask', '2', 'json', '\x74727565');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:a', '2', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'x', '3', 'json', '\x5b22696e222c2261225d');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:a', '3', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('waits', '', 's', '3', 'json', '\x22686922');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:b', '3', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:c', '3', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('waits', '', '__pregel_tasks', '3', 'json', '\x5b7b226e6f6465223a2277222c2261726773223a7b2269223a317d7d2c7b226e6f6465223a2277222c2261726773223a7b2269223a327d7d5d');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '__start__', '1', 'json', '\x7b2278223a5b22696e222c226265666f7265225d2c2261736b223a747275657d');
INSERT INTO checkpoint_blobs VALUES ('inside', '', '__start__', '1', 'json', '\x7b2278223a5b22696e225d2c2261736b223a747275657d');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '__start__', '2', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', 'x', '2', 'json', '\x5b22696e222c226265666f7265225d');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', 'ask', '2', 'json', '\x74727565');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', 'branch:to:i1', '2', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', 'x', '3', 'json', '\x5b22696e222c226265666f7265222c226931225d');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', 'branch:to:i1', '3', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', 'branch:to:i2', '3', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('inside', '', '__start__', '2', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'x', '2', 'json', '\x5b22696e225d');
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'ask', '2', 'json', '\x74727565');
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'branch:to:before', '2', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'x', '3', 'json', '\x5b22696e222c226265666f7265225d');
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'branch:to:before', '3', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'branch:to:sub', '3', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('chat', '', '__start__', '1', 'json', '\x7b226d65737361676573223a5b7b22726f6c65223a2275736572222c22636f6e74656e74223a226869222c226964223a226d31227d5d7d');
INSERT INTO checkpoint_blobs VALUES ('chat', '', '__start__', '2', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('chat', '', 'messages', '2', 'json', '\x5b7b226c63223a312c2274797065223a22636f6e7374727563746f72222c226964223a5b226c616e67636861696e5f636f7265222c226d65737361676573222c2248756d616e4d657373616765225d2c226b7761726773223a7b22636f6e74656e74223a226869222c226964223a226d31222c226164646974696f6e616c5f6b7761726773223a7b7d2c22726573706f6e73655f6d65746164617461223a7b7d7d7d5d');
INSERT INTO checkpoint_blobs VALUES ('chat', '', 'branch:to:reply', '2', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('chat', '', 'messages', '3', 'json', '\x5b7b226c63223a312c2274797065223a22636f6e7374727563746f72222c226964223a5b226c616e67636861696e5f636f7265222c226d65737361676573222c2248756d616e4d657373616765225d2c226b7761726773223a7b22636f6e74656e74223a226869222c226964223a226d31222c226164646974696f6e616c5f6b7761726773223a7b7d2c22726573706f6e73655f6d65746164617461223a7b7d7d7d2c7b226c63223a312c2274797065223a22636f6e7374727563746f72222c226964223a5b226c616e67636861696e5f636f7265222c226d65737361676573222c2241494d657373616765225d2c226b7761726773223a7b22636f6e74656e74223a227265706c7920746f2031222c226964223a227265706c792d31222c22746f6f6c5f63616c6c73223a5b5d2c22696e76616c69645f746f6f6c5f63616c6c73223a5b5d2c226164646974696f6e616c5f6b7761726773223a7b7d2c22726573706f6e73655f6d65746164617461223a7b7d7d7d5d');
INSERT INTO checkpoint_blobs VALUES ('chat', '', 'branch:to:reply', '3', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('things', '', '__start__', '1', 'json', '\x7b226f6e65223a7b22736574223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22536574225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b2261225d5d2c226b7761726773223a7b7d7d2c226d6170223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224d6170225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b5b312c226f6e65225d5d5d2c226b7761726773223a7b7d7d2c226279746573223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b2255696e74384172726179225d2c226d6574686f64223a2266726f6d222c2261726773223a5b5b302c3235355d5d2c226b7761726773223a7b7d7d2c227265676578223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22526567457870225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22612b222c2269225d2c226b7761726773223a7b7d7d2c226e6f7468696e67223a7b226c63223a322c2274797065223a22756e646566696e6564227d2c2264617465223a22313937302d30312d30315430303a30303a30302e3030305a222c2268616c66223a302e352c2274657874223a2268c3a9222c226572726f72223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224572726f72225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22626f6f6d225d2c226b7761726773223a7b7d7d7d7d');
INSERT INTO checkpoint_blobs VALUES ('things', '', '__start__', '2', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('things', '', 'one', '2', 'json', '\x7b22736574223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22536574225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b2261225d5d2c226b7761726773223a7b7d7d2c226d6170223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224d6170225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b5b312c226f6e65225d5d5d2c226b7761726773223a7b7d7d2c226279746573223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b2255696e74384172726179225d2c226d6574686f64223a2266726f6d222c2261726773223a5b5b302c3235355d5d2c226b7761726773223a7b7d7d2c227265676578223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22526567457870225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22612b222c2269225d2c226b7761726773223a7b7d7d2c226e6f7468696e67223a7b226c63223a322c2274797065223a22756e646566696e6564227d2c2264617465223a22313937302d30312d30315430303a30303a30302e3030305a222c2268616c66223a302e352c2274657874223a2268c3a9222c226572726f72223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224572726f72225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22626f6f6d225d2c226b7761726773223a7b7d7d7d');
INSERT INTO checkpoint_blobs VALUES ('things', '', 'branch:to:keep', '2', 'json', '\x6e756c6c');
INSERT INTO checkpoint_blobs VALUES ('things', '', 'branch:to:keep', '3', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('things', '', 'many', '3', 'json', '\x5b7b22736574223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22536574225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b2261225d5d2c226b7761726773223a7b7d7d2c226d6170223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224d6170225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b5b312c226f6e65225d5d5d2c226b7761726773223a7b7d7d2c226279746573223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b2255696e74384172726179225d2c226d6574686f64223a2266726f6d222c2261726773223a5b5b302c3235355d5d2c226b7761726773223a7b7d7d2c227265676578223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22526567457870225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22612b222c2269225d2c226b7761726773223a7b7d7d2c226e6f7468696e67223a7b226c63223a322c2274797065223a22756e646566696e6564227d2c2264617465223a22313937302d30312d30315430303a30303a30302e3030305a222c2268616c66223a302e352c2274657874223a2268c3a9222c226572726f72223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224572726f72225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22626f6f6d225d2c226b7761726773223a7b7d7d7d5d');
INSERT INTO checkpoint_blobs VALUES ('things', '', 'x', '3', 'json', '\x5b226b656570225d');
INSERT INTO checkpoint_blobs VALUES ('failed', '', '__start__', '1', 'json', '\x7b226f6e65223a226661696c227d');
INSERT INTO checkpoint_blobs VALUES ('failed', '', '__start__', '2', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('failed', '', 'one', '2', 'json', '\x226661696c22');
INSERT INTO checkpoint_blobs VALUES ('failed', '', 'branch:to:keep', '2', 'json', '\x6e756c6c');
INSERT INTO checkpoint_migrations VALUES (0);
INSERT INTO checkpoint_migrations VALUES (1);
INSERT INTO checkpoint_migrations VALUES (2);
INSERT INTO checkpoint_migrations VALUES (3);
INSERT INTO checkpoint_migrations VALUES (4);
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f76-6fa0-8001-acfa06454887', 'b2c30633-967c-5629-805d-4573e9da2e53', 0, 'x', 'json', '\x5b227732225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f12-6e10-ffff-73fa1e47bf9a', 'e0046c35-6878-5c36-b1c6-8e4544d68fd5', 0, 'x', 'json', '\x5b22696e225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f76-6fa0-8001-acfa06454887', 'b3836d2a-75f8-5f55-b1b6-547c36a18bae', 0, 'x', 'json', '\x5b227731225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f12-6e10-ffff-73fa1e47bf9a', 'e0046c35-6878-5c36-b1c6-8e4544d68fd5', 1, 'branch:to:a', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1fa7-6ce0-8002-714517db1f4f', 'd17c901e-198d-58f0-8fb0-1d58bd72c555', 0, 'x', 'json', '\x5b2264225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f6a-6c50-8000-fdd822732fb7', 'f9d862d8-ff66-52bf-ae0d-d0c11a629f8b', 0, 'x', 'json', '\x5b2261225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f76-6fa0-8001-acfa06454887', 'f13364ae-5d51-5704-a072-8d3c47fa128d', 0, 'x', 'json', '\x5b2263225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f6a-6c50-8000-fdd822732fb7', 'f9d862d8-ff66-52bf-ae0d-d0c11a629f8b', 1, 's', 'json', '\x22686922');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f76-6fa0-8001-acfa06454887', 'f13364ae-5d51-5704-a072-8d3c47fa128d', 1, 'join:b+c:d', 'json', '\x226322');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f76-6fa0-8001-acfa06454887', 'da0da2ec-b9f9-5a5b-8aca-484372cc9186', 0, 'x', 'json', '\x5b2262225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f6a-6c50-8000-fdd822732fb7', 'f9d862d8-ff66-52bf-ae0d-d0c11a629f8b', 2, 'branch:to:b', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f6a-6c50-8000-fdd822732fb7', 'f9d862d8-ff66-52bf-ae0d-d0c11a629f8b', 3, 'branch:to:c', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f6a-6c50-8000-fdd822732fb7', 'f9d862d8-ff66-52bf-ae0d-d0c11a629f8b', 4, '__pregel_tasks', 'json', '\x7b226e6f6465223a2277222c2261726773223a7b2269223a317d7d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f76-6fa0-8001-acfa06454887', 'da0da2ec-b9f9-5a5b-8aca-484372cc9186', 1, 'join:b+c:d', 'json', '\x226222');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-1f6a-6c50-8000-fdd822732fb7', 'f9d862d8-ff66-52bf-ae0d-d0c11a629f8b', 5, '__pregel_tasks', 'json', '\x7b226e6f6465223a2277222c2261726773223a7b2269223a327d7d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20db-66c0-8006-8547f95c11ef', '988afdc6-313b-550c-a496-8611dd2d74f0', 0, 'x', 'json', '\x5b2262225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20db-66c0-8006-8547f95c11ef', 'cf95eebb-7f71-5871-b672-6f95b34d0ce5', 0, 'x', 'json', '\x5b2263225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20db-66c0-8006-8547f95c11ef', '017b7544-0b0e-520c-897b-9c33ff59228d', 0, 'x', 'json', '\x5b227731225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20db-66c0-8006-8547f95c11ef', 'df542926-1d31-5ea3-bce9-8449089715af', 0, 'x', 'json', '\x5b227732225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20f6-6470-8007-e53130a8eab9', '1d7a112f-0641-5654-829d-8c6acc69b620', 0, 'x', 'json', '\x5b2264225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20db-66c0-8006-8547f95c11ef', '988afdc6-313b-550c-a496-8611dd2d74f0', 1, 'join:b+c:d', 'json', '\x226222');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20db-66c0-8006-8547f95c11ef', 'cf95eebb-7f71-5871-b672-6f95b34d0ce5', 1, 'join:b+c:d', 'json', '\x226322');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20af-67a0-8004-4a54178ad892', 'a004aeaa-4c46-5549-8a29-bb493e05072d', 0, 'x', 'json', '\x5b22616761696e225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20ca-6550-8005-fdb795be7814', 'c6dd2883-b5e4-5eec-abc5-04c8425ff340', 0, 'x', 'json', '\x5b2261225d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20ca-6550-8005-fdb795be7814', 'c6dd2883-b5e4-5eec-abc5-04c8425ff340', 1, 's', 'json', '\x22686922');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20af-67a0-8004-4a54178ad892', 'a004aeaa-4c46-5549-8a29-bb493e05072d', 1, 'branch:to:a', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20ca-6550-8005-fdb795be7814', 'c6dd2883-b5e4-5eec-abc5-04c8425ff340', 2, 'branch:to:b', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20ca-6550-8005-fdb795be7814', 'c6dd2883-b5e4-5eec-abc5-04c8425ff340', 3, 'branch:to:c', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20ca-6550-8005-fdb795be7814', 'c6dd2883-b5e4-5eec-abc5-04c8425ff340', 4, '__pregel_tasks', 'json', '\x7b226e6f6465223a2277222c2261726773223a7b2269223a317d7d');
INSERT INTO checkpoint_writes VALUES ('done', '', '1f1e7c29-20ca-6550-8005-fdb795be7814', 'c6dd2883-b5e4-5eec-abc5-04c8425ff340', 5, '__pregel_tasks', 'json', '\x7b226e6f6465223a2277222c2261726773223a7b2269223a327d7d');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2289-61c0-8001-634791ea178b', '9e90a9ff-2d26-5ee2-bfff-e920fe113411', -3, '__interrupt__', 'json', '\x5b7b226964223a226634656464636539613332613539643565373566356563363839626439393736222c2276616c7565223a226f6b3f227d5d');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2289-61c0-8001-634791ea178b', '95c718e5-7c87-5e49-991a-c77d400b29a6', 0, 'x', 'json', '\x5b227732225d');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2289-61c0-8001-634791ea178b', '93ddf214-2515-5df0-9096-0219d12fd82e', 0, 'x', 'json', '\x5b227731225d');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2266-6ee0-ffff-93eeacabfb6e', '1895e6dd-62ca-55fe-ba75-02abab62a532', 0, 'x', 'json', '\x5b22696e225d');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2289-61c0-8001-634791ea178b', 'de5839d4-5c1c-5a94-acc4-2b00733d826c', 0, 'x', 'json', '\x5b2263225d');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2289-61c0-8001-634791ea178b', 'de5839d4-5c1c-5a94-acc4-2b00733d826c', 1, 'join:b+c:d', 'json', '\x226322');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2273-6230-8000-85a20b987af9', '27153ace-9fa1-513f-92e6-a1bdbc7587c4', 0, 'x', 'json', '\x5b2261225d');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2266-6ee0-ffff-93eeacabfb6e', '1895e6dd-62ca-55fe-ba75-02abab62a532', 1, 'ask', 'json', '\x74727565');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2273-6230-8000-85a20b987af9', '27153ace-9fa1-513f-92e6-a1bdbc7587c4', 1, 's', 'json', '\x22686922');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2266-6ee0-ffff-93eeacabfb6e', '1895e6dd-62ca-55fe-ba75-02abab62a532', 2, 'branch:to:a', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2273-6230-8000-85a20b987af9', '27153ace-9fa1-513f-92e6-a1bdbc7587c4', 2, 'branch:to:b', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2273-6230-8000-85a20b987af9', '27153ace-9fa1-513f-92e6-a1bdbc7587c4', 3, 'branch:to:c', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2273-6230-8000-85a20b987af9', '27153ace-9fa1-513f-92e6-a1bdbc7587c4', 4, '__pregel_tasks', 'json', '\x7b226e6f6465223a2277222c2261726773223a7b2269223a317d7d');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c29-2273-6230-8000-85a20b987af9', '27153ace-9fa1-513f-92e6-a1bdbc7587c4', 5, '__pregel_tasks', 'json', '\x7b226e6f6465223a2277222c2261726773223a7b2269223a327d7d');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c29-232f-6200-8000-724c7c8287d3', '9dcd77f6-ce5f-5552-9f7f-756e777c20dc', 0, 'x', 'json', '\x5b226265666f7265225d');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c29-2325-65c1-ffff-dafada028ff0', '96037ac0-3d96-5b51-adce-46d4b40feeef', 0, 'x', 'json', '\x5b22696e225d');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-2369-6b80-8001-e68ff2cc7c66', '1efe7958-e980-50da-bf53-41c6c4a6ec8d', -3, '__interrupt__', 'json', '\x5b7b226964223a223837663133383363313363303935653434346534666330396438616539373333222c2276616c7565223a226f6b3f227d5d');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-235d-6830-8000-52cc3ff07f85', '200b7e58-d3ce-5b6a-adb3-37bd07dbb3bd', 0, 'x', 'json', '\x5b226931225d');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-234e-6dd1-ffff-09f4c23569d6', '6426bf98-8091-53e1-be3b-0b4fec397d17', 0, 'x', 'json', '\x5b22696e222c226265666f7265225d');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-235d-6830-8000-52cc3ff07f85', '200b7e58-d3ce-5b6a-adb3-37bd07dbb3bd', 1, 'branch:to:i2', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c29-232f-6200-8000-724c7c8287d3', '9dcd77f6-ce5f-5552-9f7f-756e777c20dc', 1, 'branch:to:sub', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c29-2325-65c1-ffff-dafada028ff0', '96037ac0-3d96-5b51-adce-46d4b40feeef', 1, 'ask', 'json', '\x74727565');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-234e-6dd1-ffff-09f4c23569d6', '6426bf98-8091-53e1-be3b-0b4fec397d17', 1, 'ask', 'json', '\x74727565');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-234e-6dd1-ffff-09f4c23569d6', '6426bf98-8091-53e1-be3b-0b4fec397d17', 2, 'branch:to:i1', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c29-2325-65c1-ffff-dafada028ff0', '96037ac0-3d96-5b51-adce-46d4b40feeef', 2, 'branch:to:before', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c29-233b-6550-8001-dffc234696ac', '23af19a2-019f-5a5d-83b2-4b002c4ee818', -3, '__interrupt__', 'json', '\x5b7b226964223a223837663133383363313363303935653434346534666330396438616539373333222c2276616c7565223a226f6b3f227d5d');
INSERT INTO checkpoint_writes VALUES ('chat', '', '1f1e7c29-241e-6620-8000-e9005d959222', '48210bc9-eac3-5e6d-8d4b-f1a5f745624f', 0, 'messages', 'json', '\x5b7b22726f6c65223a22617373697374616e74222c22636f6e74656e74223a227265706c7920746f2031222c226964223a227265706c792d31227d5d');
INSERT INTO checkpoint_writes VALUES ('things', '', '1f1e7c29-24f0-6580-8000-6c3d994fe652', '369af2d5-85cb-582a-860c-46d1eb641c2b', 0, 'many', 'json', '\x5b7b22736574223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22536574225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b2261225d5d2c226b7761726773223a7b7d7d2c226d6170223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224d6170225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b5b312c226f6e65225d5d5d2c226b7761726773223a7b7d7d2c226279746573223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b2255696e74384172726179225d2c226d6574686f64223a2266726f6d222c2261726773223a5b5b302c3235355d5d2c226b7761726773223a7b7d7d2c227265676578223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22526567457870225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22612b222c2269225d2c226b7761726773223a7b7d7d2c226e6f7468696e67223a7b226c63223a322c2274797065223a22756e646566696e6564227d2c2264617465223a22313937302d30312d30315430303a30303a30302e3030305a222c2268616c66223a302e352c2274657874223a2268c3a9222c226572726f72223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224572726f72225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22626f6f6d225d2c226b7761726773223a7b7d7d7d5d');
INSERT INTO checkpoint_writes VALUES ('things', '', '1f1e7c29-24f0-6580-8000-6c3d994fe652', '369af2d5-85cb-582a-860c-46d1eb641c2b', 1, 'x', 'json', '\x5b226b656570225d');
INSERT INTO checkpoint_writes VALUES ('failed', '', '1f1e7c29-2556-6e21-ffff-542d48e551eb', 'f6171fc8-1853-5c87-857a-806c340d50a0', 0, 'one', 'json', '\x226661696c22');
INSERT INTO checkpoint_writes VALUES ('failed', '', '1f1e7c29-2556-6e21-ffff-542d48e551eb', 'f6171fc8-1853-5c87-857a-806c340d50a0', 1, 'branch:to:keep', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('chat', '', '1f1e7c29-240f-6bc1-ffff-148e280ed6f1', '737cd71a-f702-52c9-b65b-90fcd1e3820d', 0, 'messages', 'json', '\x5b7b22726f6c65223a2275736572222c22636f6e74656e74223a226869222c226964223a226d31227d5d');
INSERT INTO checkpoint_writes VALUES ('chat', '', '1f1e7c29-240f-6bc1-ffff-148e280ed6f1', '737cd71a-f702-52c9-b65b-90fcd1e3820d', 1, 'branch:to:reply', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('things', '', '1f1e7c29-24da-65f1-ffff-a49ab6e839dc', 'a8fe6a23-1c18-5989-94a8-45cb2d58fdfb', 0, 'one', 'json', '\x7b22736574223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22536574225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b2261225d5d2c226b7761726773223a7b7d7d2c226d6170223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224d6170225d2c226d6574686f64223a6e756c6c2c2261726773223a5b5b5b312c226f6e65225d5d5d2c226b7761726773223a7b7d7d2c226279746573223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b2255696e74384172726179225d2c226d6574686f64223a2266726f6d222c2261726773223a5b5b302c3235355d5d2c226b7761726773223a7b7d7d2c227265676578223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b22526567457870225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22612b222c2269225d2c226b7761726773223a7b7d7d2c226e6f7468696e67223a7b226c63223a322c2274797065223a22756e646566696e6564227d2c2264617465223a22313937302d30312d30315430303a30303a30302e3030305a222c2268616c66223a302e352c2274657874223a2268c3a9222c226572726f72223a7b226c63223a322c2274797065223a22636f6e7374727563746f72222c226964223a5b224572726f72225d2c226d6574686f64223a6e756c6c2c2261726773223a5b22626f6f6d225d2c226b7761726773223a7b7d7d7d');
INSERT INTO checkpoint_writes VALUES ('things', '', '1f1e7c29-24da-65f1-ffff-a49ab6e839dc', 'a8fe6a23-1c18-5989-94a8-45cb2d58fdfb', 1, 'branch:to:keep', 'json', '\x6e756c6c');
INSERT INTO checkpoint_writes VALUES ('failed', '', '1f1e7c29-2560-6a60-8000-af2737d2e9e1', 'b7c4b444-f9ea-54cb-8d1f-03fd7d6b3fee', -1, '__error__', 'json', '\x7b226d657373616765223a2269742069732062726f6b656e222c226e616d65223a22547970654572726f72227d');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-1f12-6e10-ffff-73fa1e47bf9a', NULL, NULL, '{"v": 4, "id": "1f1e7c29-1f12-6e10-ffff-73fa1e47bf9a", "ts": "2026-11-24T04:50:28.337Z", "versions_seen": {"__input__": {}}, "channel_versions": {"__start__": 1}}', '{"step": -1, "source": "input", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-1f6a-6c50-8000-fdd822732fb7', '1f1e7c29-1f12-6e10-ffff-73fa1e47bf9a', NULL, '{"v": 4, "id": "1f1e7c29-1f6a-6c50-8000-fdd822732fb7", "ts": "2026-11-24T04:50:28.373Z", "versions_seen": {"__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"x": 2, "__start__": 2, "branch:to:a": 2}}', '{"step": 0, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-1f76-6fa0-8001-acfa06454887', '1f1e7c29-1f6a-6c50-8000-fdd822732fb7', NULL, '{"v": 4, "id": "1f1e7c29-1f76-6fa0-8001-acfa06454887", "ts": "2026-11-24T04:50:28.378Z", "versions_seen": {"a": {"branch:to:a": 2}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"s": 3, "x": 3, "__start__": 2, "branch:to:a": 3, "branch:to:b": 3, "branch:to:c": 3, "__pregel_tasks": 3}}', '{"step": 1, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-1fa7-6ce0-8002-714517db1f4f', '1f1e7c29-1f76-6fa0-8001-acfa06454887', NULL, '{"v": 4, "id": "1f1e7c29-1fa7-6ce0-8002-714517db1f4f", "ts": "2026-11-24T04:50:28.398Z", "versions_seen": {"a": {"branch:to:a": 2}, "b": {"branch:to:b": 3}, "c": {"branch:to:c": 3}, "w": {}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"s": 3, "x": 4, "__start__": 2, "join:b+c:d": 4, "branch:to:a": 3, "branch:to:b": 4, "branch:to:c": 4, "__pregel_tasks": 4}}', '{"step": 2, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-1fbb-6560-8003-8262ca2c8431', '1f1e7c29-1fa7-6ce0-8002-714517db1f4f', NULL, '{"v": 4, "id": "1f1e7c29-1fbb-6560-8003-8262ca2c8431", "ts": "2026-11-24T04:50:28.406Z", "versions_seen": {"a": {"branch:to:a": 2}, "b": {"branch:to:b": 3}, "c": {"branch:to:c": 3}, "d": {"join:b+c:d": 4}, "w": {}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"s": 3, "x": 6, "__start__": 2, "join:b+c:d": 5, "branch:to:a": 3, "branch:to:b": 4, "branch:to:c": 4, "__pregel_tasks": 4}}', '{"step": 3, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-20af-67a0-8004-4a54178ad892', '1f1e7c29-1fbb-6560-8003-8262ca2c8431', NULL, '{"v": 4, "id": "1f1e7c29-20af-67a0-8004-4a54178ad892", "ts": "2026-11-24T04:50:28.506Z", "versions_seen": {"a": {"branch:to:a": 2}, "b": {"branch:to:b": 3}, "c": {"branch:to:c": 3}, "d": {"join:b+c:d": 4}, "w": {}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"s": 3, "x": 6, "__start__": 7, "join:b+c:d": 5, "branch:to:a": 3, "branch:to:b": 4, "branch:to:c": 4, "__pregel_tasks": 4}}', '{"step": 4, "source": "input", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-20ca-6550-8005-fdb795be7814', '1f1e7c29-20af-67a0-8004-4a54178ad892', NULL, '{"v": 4, "id": "1f1e7c29-20ca-6550-8005-fdb795be7814", "ts": "2026-11-24T04:50:28.518Z", "versions_seen": {"a": {"branch:to:a": 2}, "b": {"branch:to:b": 3}, "c": {"branch:to:c": 3}, "d": {"join:b+c:d": 4}, "w": {}, "__input__": {}, "__start__": {"__start__": 7}}, "channel_versions": {"s": 3, "x": 8, "__start__": 8, "join:b+c:d": 5, "branch:to:a": 8, "branch:to:b": 4, "branch:to:c": 4, "__pregel_tasks": 4}}', '{"step": 5, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-20db-66c0-8006-8547f95c11ef', '1f1e7c29-20ca-6550-8005-fdb795be7814', NULL, '{"v": 4, "id": "1f1e7c29-20db-66c0-8006-8547f95c11ef", "ts": "2026-11-24T04:50:28.525Z", "versions_seen": {"a": {"branch:to:a": 8}, "b": {"branch:to:b": 3}, "c": {"branch:to:c": 3}, "d": {"join:b+c:d": 4}, "w": {}, "__input__": {}, "__start__": {"__start__": 7}}, "channel_versions": {"s": 9, "x": 9, "__start__": 8, "join:b+c:d": 5, "branch:to:a": 9, "branch:to:b": 9, "branch:to:c": 9, "__pregel_tasks": 9}}', '{"step": 6, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-20f6-6470-8007-e53130a8eab9', '1f1e7c29-20db-66c0-8006-8547f95c11ef', NULL, '{"v": 4, "id": "1f1e7c29-20f6-6470-8007-e53130a8eab9", "ts": "2026-11-24T04:50:28.535Z", "versions_seen": {"a": {"branch:to:a": 8}, "b": {"branch:to:b": 9}, "c": {"branch:to:c": 9}, "d": {"join:b+c:d": 4}, "w": {}, "__input__": {}, "__start__": {"__start__": 7}}, "channel_versions": {"s": 9, "x": 10, "__start__": 8, "join:b+c:d": 10, "branch:to:a": 9, "branch:to:b": 10, "branch:to:c": 10, "__pregel_tasks": 10}}', '{"step": 7, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', '1f1e7c29-210e-6b10-8008-40c2701d0093', '1f1e7c29-20f6-6470-8007-e53130a8eab9', NULL, '{"v": 4, "id": "1f1e7c29-210e-6b10-8008-40c2701d0093", "ts": "2026-11-24T04:50:28.547Z", "versions_seen": {"a": {"branch:to:a": 8}, "b": {"branch:to:b": 9}, "c": {"branch:to:c": 9}, "d": {"join:b+c:d": 10}, "w": {}, "__input__": {}, "__start__": {"__start__": 7}}, "channel_versions": {"s": 9, "x": 12, "__start__": 8, "join:b+c:d": 11, "branch:to:a": 9, "branch:to:b": 10, "branch:to:c": 10, "__pregel_tasks": 10}}', '{"step": 8, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('waits', '', '1f1e7c29-2266-6ee0-ffff-93eeacabfb6e', NULL, NULL, '{"v": 4, "id": "1f1e7c29-2266-6ee0-ffff-93eeacabfb6e", "ts": "2026-11-24T04:50:28.686Z", "versions_seen": {"__input__": {}}, "channel_versions": {"__start__": 1}}', '{"step": -1, "source": "input", "parents": {}}');
INSERT INTO checkpoints VALUES ('waits', '', '1f1e7c29-2273-6230-8000-85a20b987af9', '1f1e7c29-2266-6ee0-ffff-93eeacabfb6e', NULL, '{"v": 4, "id": "1f1e7c29-2273-6230-8000-85a20b987af9", "ts": "2026-11-24T04:50:28.692Z", "versions_seen": {"__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"x": 2, "ask": 2, "__start__": 2, "branch:to:a": 2}}', '{"step": 0, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('waits', '', '1f1e7c29-2289-61c0-8001-634791ea178b', '1f1e7c29-2273-6230-8000-85a20b987af9', NULL, '{"v": 4, "id": "1f1e7c29-2289-61c0-8001-634791ea178b", "ts": "2026-11-24T04:50:28.700Z", "versions_seen": {"a": {"branch:to:a": 2}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"s": 3, "x": 3, "ask": 2, "__start__": 2, "branch:to:a": 3, "branch:to:b": 3, "branch:to:c": 3, "__pregel_tasks": 3}}', '{"step": 1, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-234e-6dd1-ffff-09f4c23569d6', NULL, NULL, '{"v": 4, "id": "1f1e7c29-234e-6dd1-ffff-09f4c23569d6", "ts": "2026-11-24T04:50:28.781Z", "versions_seen": {"__input__": {}}, "channel_versions": {"__start__": 1}}', '{"step": -1, "source": "input", "parents": {"": "1f1e7c29-233b-6550-8001-dffc234696ac"}}');
INSERT INTO checkpoints VALUES ('inside', '', '1f1e7c29-2325-65c1-ffff-dafada028ff0', NULL, NULL, '{"v": 4, "id": "1f1e7c29-2325-65c1-ffff-dafada028ff0", "ts": "2026-11-24T04:50:28.764Z", "versions_seen": {"__input__": {}}, "channel_versions": {"__start__": 1}}', '{"step": -1, "source": "input", "parents": {}}');
INSERT INTO checkpoints VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-235d-6830-8000-52cc3ff07f85', '1f1e7c29-234e-6dd1-ffff-09f4c23569d6', NULL, '{"v": 4, "id": "1f1e7c29-235d-6830-8000-52cc3ff07f85", "ts": "2026-11-24T04:50:28.787Z", "versions_seen": {"__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"x": 2, "ask": 2, "__start__": 2, "branch:to:i1": 2}}', '{"step": 0, "source": "loop", "parents": {"": "1f1e7c29-233b-6550-8001-dffc234696ac"}}');
INSERT INTO checkpoints VALUES ('inside', 'sub:23af19a2-019f-5a5d-83b2-4b002c4ee818', '1f1e7c29-2369-6b80-8001-e68ff2cc7c66', '1f1e7c29-235d-6830-8000-52cc3ff07f85', NULL, '{"v": 4, "id": "1f1e7c29-2369-6b80-8001-e68ff2cc7c66", "ts": "2026-11-24T04:50:28.792Z", "versions_seen": {"i1": {"branch:to:i1": 2}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"x": 3, "ask": 2, "__start__": 2, "branch:to:i1": 3, "branch:to:i2": 3}}', '{"step": 1, "source": "loop", "parents": {"": "1f1e7c29-233b-6550-8001-dffc234696ac"}}');
INSERT INTO checkpoints VALUES ('inside', '', '1f1e7c29-232f-6200-8000-724c7c8287d3', '1f1e7c29-2325-65c1-ffff-dafada028ff0', NULL, '{"v": 4, "id": "1f1e7c29-232f-6200-8000-724c7c8287d3", "ts": "2026-11-24T04:50:28.768Z", "versions_seen": {"__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"x": 2, "ask": 2, "__start__": 2, "branch:to:before": 2}}', '{"step": 0, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('inside', '', '1f1e7c29-233b-6550-8001-dffc234696ac', '1f1e7c29-232f-6200-8000-724c7c8287d3', NULL, '{"v": 4, "id": "1f1e7c29-233b-6550-8001-dffc234696ac", "ts": "2026-11-24T04:50:28.773Z", "versions_seen": {"before": {"branch:to:before": 2}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"x": 3, "ask": 2, "__start__": 2, "branch:to:sub": 3, "branch:to:before": 3}}', '{"step": 1, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('chat', '', '1f1e7c29-240f-6bc1-ffff-148e280ed6f1', NULL, NULL, '{"v": 4, "id": "1f1e7c29-240f-6bc1-ffff-148e280ed6f1", "ts": "2026-11-24T04:50:28.860Z", "versions_seen": {"__input__": {}}, "channel_versions": {"__start__": 1}}', '{"step": -1, "source": "input", "parents": {}}');
INSERT INTO checkpoints VALUES ('chat', '', '1f1e7c29-241e-6620-8000-e9005d959222', '1f1e7c29-240f-6bc1-ffff-148e280ed6f1', NULL, '{"v": 4, "id": "1f1e7c29-241e-6620-8000-e9005d959222", "ts": "2026-11-24T04:50:28.866Z", "versions_seen": {"__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"messages": 2, "__start__": 2, "branch:to:reply": 2}}', '{"step": 0, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('chat', '', '1f1e7c29-242d-6080-8001-c83ae542aad4', '1f1e7c29-241e-6620-8000-e9005d959222', NULL, '{"v": 4, "id": "1f1e7c29-242d-6080-8001-c83ae542aad4", "ts": "2026-11-24T04:50:28.872Z", "versions_seen": {"reply": {"branch:to:reply": 2}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"messages": 3, "__start__": 2, "branch:to:reply": 3}}', '{"step": 1, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('things', '', '1f1e7c29-24da-65f1-ffff-a49ab6e839dc', NULL, NULL, '{"v": 4, "id": "1f1e7c29-24da-65f1-ffff-a49ab6e839dc", "ts": "2026-11-24T04:50:28.943Z", "versions_seen": {"__input__": {}}, "channel_versions": {"__start__": 1}}', '{"step": -1, "source": "input", "parents": {}}');
INSERT INTO checkpoints VALUES ('things', '', '1f1e7c29-24f0-6580-8000-6c3d994fe652', '1f1e7c29-24da-65f1-ffff-a49ab6e839dc', NULL, '{"v": 4, "id": "1f1e7c29-24f0-6580-8000-6c3d994fe652", "ts": "2026-11-24T04:50:28.952Z", "versions_seen": {"__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"one": 2, "__start__": 2, "branch:to:keep": 2}}', '{"step": 0, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('things', '', '1f1e7c29-24f2-6c90-8001-bddf6a00675e', '1f1e7c29-24f0-6580-8000-6c3d994fe652', NULL, '{"v": 4, "id": "1f1e7c29-24f2-6c90-8001-bddf6a00675e", "ts": "2026-11-24T04:50:28.953Z", "versions_seen": {"keep": {"branch:to:keep": 2}, "__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"x": 3, "one": 2, "many": 3, "__start__": 2, "branch:to:keep": 3}}', '{"step": 1, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('failed', '', '1f1e7c29-2556-6e21-ffff-542d48e551eb', NULL, NULL, '{"v": 4, "id": "1f1e7c29-2556-6e21-ffff-542d48e551eb", "ts": "2026-11-24T04:50:28.994Z", "versions_seen": {"__input__": {}}, "channel_versions": {"__start__": 1}}', '{"step": -1, "source": "input", "parents": {}}');
INSERT INTO checkpoints VALUES ('failed', '', '1f1e7c29-2560-6a60-8000-af2737d2e9e1', '1f1e7c29-2556-6e21-ffff-542d48e551eb', NULL, '{"v": 4, "id": "1f1e7c29-2560-6a60-8000-af2737d2e9e1", "ts": "2026-11-24T04:50:28.998Z", "versions_seen": {"__input__": {}, "__start__": {"__start__": 1}}, "channel_versions": {"one": 2, "__start__": 2, "branch:to:keep": 2}}', '{"step": 0, "source": "loop", "parents": {}}');
ALTER TABLE ONLY checkpoint_blobs
    ADD CONSTRAINT checkpoint_blobs_pkey PRIMARY KEY (thread_id, checkpoint_ns, channel, version);
ALTER TABLE ONLY checkpoint_migrations
    ADD CONSTRAINT checkpoint_migrations_pkey PRIMARY KEY (v);
ALTER TABLE ONLY checkpoint_writes
    ADD CONSTRAINT checkpoint_writes_pkey PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx);
ALTER TABLE ONLY checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id);
