CREATE TABLE checkpoint_blobs (
    thread_id text NOT NULL,
    checkpoint_ns text DEFAULT ''::text NOT NULL,
    channel text NOT NULL,
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
    blob bytea NOT NULL,
    task_path text DEFAULT ''::text NOT NULL
);
CREATE TABLE checkpoints (
    thread_id text NOT NULL,
    checkpoint_ns text DEFAULT ''::text NOT NULL,
    type text,
    checkpoint jsonb NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL
);
INSERT INTO checkpoint_blobs VALUES ('done', '', '__start__', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 's', 'msgpack', '\xa26869');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:a', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:b', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', 'branch:to:c', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('done', '', '__pregel_tasks', 'msgpack', '\x90');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', 'msgpack', '\x9ea2696ea161a162a163a27731a27732a164a5616761696ea161a162a163a27731a27732a164');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'join:b+c:d', 'msgpack', '\xc70f0093a86275696c74696e73a373657490');
INSERT INTO checkpoint_blobs VALUES ('waits', '', '__start__', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'ask', 'msgpack', '\xc3');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'x', 'msgpack', '\x92a2696ea161');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:a', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('waits', '', 's', 'msgpack', '\xa26869');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:c', 'null', '\x');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:b', 'null', '\x');
INSERT INTO checkpoint_blobs VALUES ('waits', '', '__pregel_tasks', 'msgpack', '\x92c71d0193af6c616e6767726170682e7479706573a453656e6492a17781a16901c71d0193af6c616e6767726170682e7479706573a453656e6492a17781a16902');
INSERT INTO checkpoint_blobs VALUES ('inside', '', '__start__', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'ask', 'msgpack', '\xc3');
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'x', 'msgpack', '\x92a2696ea66265666f7265');
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'branch:to:before', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'branch:to:sub', 'null', '\x');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', '__start__', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', 'ask', 'msgpack', '\xc3');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', 'x', 'msgpack', '\x93a2696ea66265666f7265a26931');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', 'branch:to:i1', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', 'branch:to:i2', 'null', '\x');
INSERT INTO checkpoint_blobs VALUES ('chat', '', '__start__', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('chat', '', 'messages', 'msgpack', '\x92c7890594bd6c616e67636861696e5f636f72652e6d657373616765732e68756d616eac48756d616e4d65737361676586a7636f6e74656e74a26869b16164646974696f6e616c5f6b776172677380b1726573706f6e73655f6d6574616461746180a474797065a568756d616ea46e616d65c0a26964a26d31b36d6f64656c5f76616c69646174655f6a736f6ec7bd0594ba6c616e67636861696e5f636f72652e6d657373616765732e6169a941494d65737361676589a7636f6e74656e74aa7265706c7920746f2031b16164646974696f6e616c5f6b776172677380b1726573706f6e73655f6d6574616461746180a474797065a26169a46e616d65c0a26964a77265706c792d31aa746f6f6c5f63616c6c7390b2696e76616c69645f746f6f6c5f63616c6c7390ae75736167655f6d65746164617461c0b36d6f64656c5f76616c69646174655f6a736f6e');
INSERT INTO checkpoint_blobs VALUES ('chat', '', 'branch:to:reply', 'empty', NULL);
INSERT INTO checkpoint_migrations VALUES (0);
INSERT INTO checkpoint_migrations VALUES (1);
INSERT INTO checkpoint_migrations VALUES (2);
INSERT INTO checkpoint_migrations VALUES (3);
INSERT INTO checkpoint_migrations VALUES (4);
INSERT INTO checkpoint_migrations VALUES (5);
INSERT INTO checkpoint_migrations VALUES (6);
INSERT INTO checkpoint_migrations VALUES (7);
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b203-6bd9-bfff-1d9d61ac2d6e', 'dd97f4a2-fed2-7021-ce5a-f0cccd8ecc4a', 0, 'x', 'msgpack', '\x91a2696e', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b203-6bd9-bfff-1d9d61ac2d6e', 'dd97f4a2-fed2-7021-ce5a-f0cccd8ecc4a', 1, 'ask', 'msgpack', '\xc3', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b203-6bd9-bfff-1d9d61ac2d6e', 'dd97f4a2-fed2-7021-ce5a-f0cccd8ecc4a', 2, 'branch:to:a', 'null', '\x', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20e-6203-8001-06dac98bf22c', '7927a435-3116-bbeb-bebb-91c7bc17faf0', -3, '__interrupt__', 'msgpack', '\x91c75c0293af6c616e6767726170682e7479706573a9496e7465727275707483a576616c7565a36f6b3fa26964d9203738353532353836346562303866393765653339633830356461303931313463af726573706f6e73655f736368656d61c0', '~__pregel_pull, b');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20b-66eb-8000-d41aea2f6577', '5da009f6-0e78-b785-a6b2-8d420c246eba', 0, 'x', 'msgpack', '\x91a161', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20b-66eb-8000-d41aea2f6577', '5da009f6-0e78-b785-a6b2-8d420c246eba', 1, 's', 'msgpack', '\xa26869', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20b-66eb-8000-d41aea2f6577', '5da009f6-0e78-b785-a6b2-8d420c246eba', 2, 'branch:to:c', 'null', '\x', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20b-66eb-8000-d41aea2f6577', '5da009f6-0e78-b785-a6b2-8d420c246eba', 3, 'branch:to:b', 'null', '\x', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20b-66eb-8000-d41aea2f6577', '5da009f6-0e78-b785-a6b2-8d420c246eba', 4, '__pregel_tasks', 'msgpack', '\xc71d0193af6c616e6767726170682e7479706573a453656e6492a17781a16901', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20b-66eb-8000-d41aea2f6577', '5da009f6-0e78-b785-a6b2-8d420c246eba', 5, '__pregel_tasks', 'msgpack', '\xc71d0193af6c616e6767726170682e7479706573a453656e6492a17781a16902', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20e-6203-8001-06dac98bf22c', '99083e42-3aae-7a87-608f-c06f30ce4513', 0, 'x', 'msgpack', '\x91a163', '~__pregel_pull, c');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20e-6203-8001-06dac98bf22c', '99083e42-3aae-7a87-608f-c06f30ce4513', 1, 'join:b+c:d', 'msgpack', '\xa163', '~__pregel_pull, c');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20e-6203-8001-06dac98bf22c', 'dbf2bf47-73de-66ac-5e1b-bd9bf931ef17', 0, 'x', 'msgpack', '\x91a27732', '~__pregel_push, 0000000001, 0000000000');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c2c-b20e-6203-8001-06dac98bf22c', '18bde677-29cc-af97-61fa-a67018a6dae1', 0, 'x', 'msgpack', '\x91a27731', '~__pregel_push, 0000000000, 0000000000');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c2c-b27e-6e9c-8000-adad0510e737', '6b13ed36-fdbd-5769-0aac-7e87b7a084e8', 0, 'x', 'msgpack', '\x91a66265666f7265', '~__pregel_pull, before');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c2c-b27e-6e9c-8000-adad0510e737', '6b13ed36-fdbd-5769-0aac-7e87b7a084e8', 1, 'branch:to:sub', 'null', '\x', '~__pregel_pull, before');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', '1f1e7c2c-b297-67f3-8000-48a47fb80558', '8fb9961f-34ef-18b1-3987-f35a555d5845', 0, 'x', 'msgpack', '\x91a26931', '~__pregel_pull, i1');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', '1f1e7c2c-b297-67f3-8000-48a47fb80558', '8fb9961f-34ef-18b1-3987-f35a555d5845', 1, 'branch:to:i2', 'null', '\x', '~__pregel_pull, i1');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c2c-b278-6d33-bfff-0d5c5a105c4e', '3aa990bb-8a35-c344-d5d1-5d8c8790f041', 0, 'x', 'msgpack', '\x91a2696e', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c2c-b278-6d33-bfff-0d5c5a105c4e', '3aa990bb-8a35-c344-d5d1-5d8c8790f041', 1, 'ask', 'msgpack', '\xc3', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c2c-b278-6d33-bfff-0d5c5a105c4e', '3aa990bb-8a35-c344-d5d1-5d8c8790f041', 2, 'branch:to:before', 'null', '\x', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', '1f1e7c2c-b299-62f3-8001-83094dfcc753', '793e748f-45f4-1e1f-189a-12a6a81248dc', -3, '__interrupt__', 'msgpack', '\x91c75c0293af6c616e6767726170682e7479706573a9496e7465727275707483a576616c7565a36f6b3fa26964d9203337656362626439643263666239303033363962653961343432396334303938af726573706f6e73655f736368656d61c0', '~__pregel_pull, i2');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c2c-b284-638e-8001-7e053e156fa6', 'e7e13017-f62d-63b8-8de2-51f294fb9abc', -3, '__interrupt__', 'msgpack', '\x91c75c0293af6c616e6767726170682e7479706573a9496e7465727275707483a576616c7565a36f6b3fa26964d9203337656362626439643263666239303033363962653961343432396334303938af726573706f6e73655f736368656d61c0', '~__pregel_pull, sub');
INSERT INTO checkpoint_writes VALUES ('chat', '', '1f1e7c2c-b377-66ec-8000-0575083a61c6', '28306367-4f94-85aa-6684-fc48d916c262', 0, 'messages', 'msgpack', '\x9183a4726f6c65a9617373697374616e74a7636f6e74656e74aa7265706c7920746f2031a26964a77265706c792d31', '~__pregel_pull, reply');
INSERT INTO checkpoints VALUES ('inside', '', NULL, '{"v": 4, "id": "1f1e7c2c-b284-638e-8001-7e053e156fa6", "ts": "2026-11-24T04:52:04.328117+00:00", "versions_seen": {"before": {"branch:to:before": "00000000000000000000000000000002.0.9372167764355112"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.9504620172311692"}}, "channel_versions": {"x": "00000000000000000000000000000003.0.7404129520550211", "ask": "00000000000000000000000000000002.0.9372167764355112", "__start__": "00000000000000000000000000000002.0.9372167764355112", "branch:to:sub": "00000000000000000000000000000003.0.7404129520550211", "branch:to:before": "00000000000000000000000000000003.0.7404129520550211"}, "updated_channels": ["branch:to:sub", "x"]}', '{"step": 1, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', NULL, '{"v": 4, "id": "1f1e7c2c-b110-6405-8008-3a6c7ca6ede0", "ts": "2026-11-24T04:52:04.175731+00:00", "versions_seen": {"a": {"branch:to:a": "00000000000000000000000000000007.0.005039271451286131"}, "b": {"branch:to:b": "00000000000000000000000000000008.0.6529400355320818"}, "c": {"branch:to:c": "00000000000000000000000000000008.0.6529400355320818"}, "d": {"join:b+c:d": "00000000000000000000000000000009.0.5736320017637481"}, "w": {}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000006.0.20429478503287157"}}, "channel_versions": {"s": "00000000000000000000000000000008.0.6529400355320818", "x": "00000000000000000000000000000010.0.4288134030424069", "__start__": "00000000000000000000000000000007.0.005039271451286131", "join:b+c:d": "00000000000000000000000000000010.0.4288134030424069", "branch:to:a": "00000000000000000000000000000008.0.6529400355320818", "branch:to:b": "00000000000000000000000000000009.0.5736320017637481", "branch:to:c": "00000000000000000000000000000009.0.5736320017637481", "__pregel_tasks": "00000000000000000000000000000009.0.5736320017637481"}, "updated_channels": ["x"]}', '{"step": 8, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('waits', '', NULL, '{"v": 4, "id": "1f1e7c2c-b20e-6203-8001-06dac98bf22c", "ts": "2026-11-24T04:52:04.279746+00:00", "versions_seen": {"a": {"branch:to:a": "00000000000000000000000000000002.0.971831345047638"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.6593734350395982"}}, "channel_versions": {"s": "00000000000000000000000000000003.0.6451269393022446", "x": "00000000000000000000000000000003.0.6451269393022446", "ask": "00000000000000000000000000000002.0.971831345047638", "__start__": "00000000000000000000000000000002.0.971831345047638", "branch:to:a": "00000000000000000000000000000003.0.6451269393022446", "branch:to:b": "00000000000000000000000000000003.0.6451269393022446", "branch:to:c": "00000000000000000000000000000003.0.6451269393022446", "__pregel_tasks": "00000000000000000000000000000003.0.6451269393022446"}, "updated_channels": ["__pregel_tasks", "branch:to:b", "branch:to:c", "s", "x"]}', '{"step": 1, "source": "loop", "parents": {}}');
INSERT INTO checkpoints VALUES ('inside', 'sub:e7e13017-f62d-63b8-8de2-51f294fb9abc', NULL, '{"v": 4, "id": "1f1e7c2c-b299-62f3-8001-83094dfcc753", "ts": "2026-11-24T04:52:04.336707+00:00", "versions_seen": {"i1": {"branch:to:i1": "00000000000000000000000000000002.0.5003742186398876"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.08195948862257285"}}, "channel_versions": {"x": "00000000000000000000000000000003.0.9211093714846873", "ask": "00000000000000000000000000000002.0.5003742186398876", "__start__": "00000000000000000000000000000002.0.5003742186398876", "branch:to:i1": "00000000000000000000000000000003.0.9211093714846873", "branch:to:i2": "00000000000000000000000000000003.0.9211093714846873"}, "updated_channels": ["branch:to:i2", "x"]}', '{"step": 1, "source": "loop", "parents": {"": "1f1e7c2c-b284-638e-8001-7e053e156fa6"}}');
INSERT INTO checkpoints VALUES ('chat', '', NULL, '{"v": 4, "id": "1f1e7c2c-b37a-6898-8001-410ddb93a854", "ts": "2026-11-24T04:52:04.429007+00:00", "versions_seen": {"reply": {"branch:to:reply": "00000000000000000000000000000002.0.8442886176091726"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.33187534525496964"}}, "channel_versions": {"messages": "00000000000000000000000000000003.0.3953241912329347", "__start__": "00000000000000000000000000000002.0.8442886176091726", "branch:to:reply": "00000000000000000000000000000003.0.3953241912329347"}, "updated_channels": ["messages"]}', '{"step": 1, "source": "loop", "parents": {}}');
ALTER TABLE ONLY checkpoint_blobs
    ADD CONSTRAINT checkpoint_blobs_pkey PRIMARY KEY (thread_id, checkpoint_ns, channel);
ALTER TABLE ONLY checkpoint_migrations
    ADD CONSTRAINT checkpoint_migrations_pkey PRIMARY KEY (v);
ALTER TABLE ONLY checkpoint_writes
    ADD CONSTRAINT checkpoint_writes_pkey PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx);
ALTER TABLE ONLY checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (thread_id, checkpoint_ns);
CREATE INDEX checkpoint_blobs_thread_id_idx ON checkpoint_blobs USING btree (thread_id);
CREATE INDEX checkpoint_writes_thread_id_idx ON checkpoint_writes USING btree (thread_id);
CREATE INDEX checkpoints_thread_id_idx ON checkpoints USING btree (thread_id);
