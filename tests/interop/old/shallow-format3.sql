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
INSERT INTO checkpoint_blobs VALUES ('done', '', 'x', 'msgpack', '\x9ea2696ea161a162a163a27731a27732a164a5616761696ea161a162a163a27731a27732a164');
INSERT INTO checkpoint_blobs VALUES ('done', '', 'join:b+c:d', 'msgpack', '\xc70f0093a86275696c74696e73a373657490');
INSERT INTO checkpoint_blobs VALUES ('waits', '', '__start__', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'ask', 'msgpack', '\xc3');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'x', 'msgpack', '\x92a2696ea161');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:a', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('waits', '', 's', 'msgpack', '\xa26869');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:c', 'null', '\x');
INSERT INTO checkpoint_blobs VALUES ('waits', '', 'branch:to:b', 'null', '\x');
INSERT INTO checkpoint_blobs VALUES ('inside', '', '__start__', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'ask', 'msgpack', '\xc3');
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'x', 'msgpack', '\x92a2696ea66265666f7265');
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'branch:to:before', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', '', 'branch:to:sub', 'null', '\x');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', '__start__', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', 'ask', 'msgpack', '\xc3');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', 'x', 'msgpack', '\x93a2696ea66265666f7265a26931');
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', 'branch:to:i1', 'empty', NULL);
INSERT INTO checkpoint_blobs VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', 'branch:to:i2', 'null', '\x');
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
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f9-6cad-8001-d1b990e84a9a', 'ab41d9c3-32c3-cd85-bcc1-99df789c2fcb', 0, 'x', 'msgpack', '\x91a27731', '~__pregel_push, 0000000000, 0000000000');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f9-6cad-8001-d1b990e84a9a', '5d5cd7ef-d33e-16ff-0c56-6669b76e8caa', 0, 'x', 'msgpack', '\x91a27732', '~__pregel_push, 0000000001, 0000000000');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f9-6cad-8001-d1b990e84a9a', '8a0be986-dd7a-5cbf-f676-38ee9074a88b', -3, '__interrupt__', 'msgpack', '\x91c7690293af6c616e6767726170682e7479706573a9496e7465727275707484a576616c7565a36f6b3fa9726573756d61626c65c3a26e7391d926623a38613062653938362d646437612d356362662d663637362d333865653930373461383862a47768656ea6647572696e67', '~__pregel_pull, b');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f9-6cad-8001-d1b990e84a9a', '17435e12-c024-8900-9f2c-c5205b16b94f', 0, 'x', 'msgpack', '\x91a163', '~__pregel_pull, c');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f9-6cad-8001-d1b990e84a9a', '17435e12-c024-8900-9f2c-c5205b16b94f', 1, 'join:b+c:d', 'msgpack', '\xa163', '~__pregel_pull, c');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f0-6b42-8000-f8cb067976a4', '94589d06-3c45-21f0-d373-6ab5dde66dbf', 0, 'x', 'msgpack', '\x91a161', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f0-6b42-8000-f8cb067976a4', '94589d06-3c45-21f0-d373-6ab5dde66dbf', 1, 's', 'msgpack', '\xa26869', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f0-6b42-8000-f8cb067976a4', '94589d06-3c45-21f0-d373-6ab5dde66dbf', 2, 'branch:to:c', 'null', '\x', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f0-6b42-8000-f8cb067976a4', '94589d06-3c45-21f0-d373-6ab5dde66dbf', 3, 'branch:to:b', 'null', '\x', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f0-6b42-8000-f8cb067976a4', '94589d06-3c45-21f0-d373-6ab5dde66dbf', 4, '__pregel_tasks', 'msgpack', '\xc71d0193af6c616e6767726170682e7479706573a453656e6492a17781a16901', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('waits', '', '1f1e7c37-18f0-6b42-8000-f8cb067976a4', '94589d06-3c45-21f0-d373-6ab5dde66dbf', 5, '__pregel_tasks', 'msgpack', '\xc71d0193af6c616e6767726170682e7479706573a453656e6492a17781a16902', '~__pregel_pull, a');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c37-19bc-67b4-8000-1a046f095ba3', '6df683ff-3c57-d303-1931-bb4249a1e0ca', 0, 'x', 'msgpack', '\x91a66265666f7265', '~__pregel_pull, before');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c37-19bc-67b4-8000-1a046f095ba3', '6df683ff-3c57-d303-1931-bb4249a1e0ca', 1, 'branch:to:sub', 'null', '\x', '~__pregel_pull, before');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c37-1997-6fbc-bfff-9172ac1355ec', 'bab11766-6c32-d579-16f8-4da558d88d4b', 0, 'x', 'msgpack', '\x91a2696e', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c37-1997-6fbc-bfff-9172ac1355ec', 'bab11766-6c32-d579-16f8-4da558d88d4b', 1, 'ask', 'msgpack', '\xc3', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c37-1997-6fbc-bfff-9172ac1355ec', 'bab11766-6c32-d579-16f8-4da558d88d4b', 2, 'branch:to:before', 'null', '\x', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', '1f1e7c37-19dc-698d-8000-365107416606', '59b121c8-9b80-3e61-966b-99bdb569f256', 0, 'x', 'msgpack', '\x91a26931', '~__pregel_pull, i1');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', '1f1e7c37-19dc-698d-8000-365107416606', '59b121c8-9b80-3e61-966b-99bdb569f256', 1, 'branch:to:i2', 'null', '\x', '~__pregel_pull, i1');
INSERT INTO checkpoint_writes VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', '1f1e7c37-19e6-6612-8001-2babefb29c1a', '46d96e10-2bfc-724c-4060-75ba7b793cd1', -3, '__interrupt__', 'msgpack', '\x91c7940293af6c616e6767726170682e7479706573a9496e7465727275707484a576616c7565a36f6b3fa9726573756d61626c65c3a26e7392d9287375623a32316636616161632d386330612d336534662d366235642d353335346137646163303839d92769323a34366439366531302d326266632d373234632d343036302d373562613762373933636431a47768656ea6647572696e67', '~__pregel_pull, i2');
INSERT INTO checkpoint_writes VALUES ('inside', '', '1f1e7c37-19c1-64b6-8001-31fe78baf2f7', '21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', -3, '__interrupt__', 'msgpack', '\x91c7940293af6c616e6767726170682e7479706573a9496e7465727275707484a576616c7565a36f6b3fa9726573756d61626c65c3a26e7392d9287375623a32316636616161632d386330612d336534662d366235642d353335346137646163303839d92769323a34366439366531302d326266632d373234632d343036302d373562613762373933636431a47768656ea6647572696e67', '~__pregel_pull, sub');
INSERT INTO checkpoint_writes VALUES ('chat', '', '1f1e7c37-1a53-64fb-8000-7cd2723f96de', 'ae5b15a1-e708-2c6c-7376-28b02de2c435', 0, 'messages', 'msgpack', '\x9183a4726f6c65a9617373697374616e74a7636f6e74656e74aa7265706c7920746f2031a26964a77265706c792d31', '~__pregel_pull, reply');
INSERT INTO checkpoint_writes VALUES ('chat', '', '1f1e7c37-1a28-6b90-bfff-ea1d3a7989c6', '85b4daf1-0f94-765f-5486-6215a8318f91', 0, 'messages', 'msgpack', '\x9183a4726f6c65a475736572a7636f6e74656e74a26869a26964a26d31', '~__pregel_pull, __start__');
INSERT INTO checkpoint_writes VALUES ('chat', '', '1f1e7c37-1a28-6b90-bfff-ea1d3a7989c6', '85b4daf1-0f94-765f-5486-6215a8318f91', 1, 'branch:to:reply', 'null', '\x', '~__pregel_pull, __start__');
INSERT INTO checkpoints VALUES ('inside', '', NULL, '{"v": 3, "id": "1f1e7c37-19c1-64b6-8001-31fe78baf2f7", "ts": "2026-11-24T04:56:43.588917+00:00", "pending_sends": [], "versions_seen": {"before": {"branch:to:before": "00000000000000000000000000000002.0.883649833586647"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.13105847794975456"}}, "channel_versions": {"x": "00000000000000000000000000000003.0.6471154221718266", "ask": "00000000000000000000000000000002.0.953309272607004", "__start__": "00000000000000000000000000000002.0.24789065940518784", "branch:to:sub": "00000000000000000000000000000003.0.7009203699238536", "branch:to:before": "00000000000000000000000000000003.0.2406916302241765"}, "updated_channels": null}', '{"step": 1, "source": "loop", "writes": {"before": {"x": ["before"]}}, "parents": {}}');
INSERT INTO checkpoints VALUES ('done', '', NULL, '{"v": 3, "id": "1f1e7c37-17f3-612e-8008-bca7b336f283", "ts": "2026-11-24T04:56:43.399586+00:00", "pending_sends": [], "versions_seen": {"a": {"branch:to:a": "00000000000000000000000000000008.0.5425677804061475"}, "b": {"branch:to:b": "00000000000000000000000000000009.0.8349812544810541"}, "c": {"branch:to:c": "00000000000000000000000000000009.0.5646640871335491"}, "d": {"join:b+c:d": "00000000000000000000000000000010.0.3254316260000103"}, "w": {}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000007.0.20622932637148816"}}, "channel_versions": {"s": "00000000000000000000000000000009.0.1556621625470389", "x": "00000000000000000000000000000012.0.8067068248542246", "__start__": "00000000000000000000000000000008.0.1562514506001047", "join:b+c:d": "00000000000000000000000000000011.0.05313158134694762", "branch:to:a": "00000000000000000000000000000009.0.09055922665552174", "branch:to:b": "00000000000000000000000000000010.0.16237757091556893", "branch:to:c": "00000000000000000000000000000010.0.6494279185621666"}, "updated_channels": null}', '{"step": 8, "source": "loop", "writes": {"d": {"x": ["d"]}}, "parents": {}}');
INSERT INTO checkpoints VALUES ('chat', '', NULL, '{"v": 3, "id": "1f1e7c37-1a5c-6877-8001-73745d5d61bf", "ts": "2026-11-24T04:56:43.652506+00:00", "pending_sends": [], "versions_seen": {"reply": {"branch:to:reply": "00000000000000000000000000000002.0.5682582824151412"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.1586318070154088"}}, "channel_versions": {"messages": "00000000000000000000000000000003.0.38891316634990836", "__start__": "00000000000000000000000000000002.0.8191841419241116", "branch:to:reply": "00000000000000000000000000000003.0.4909762108494863"}, "updated_channels": null}', '{"step": 1, "source": "loop", "writes": {"reply": {"messages": [{"id": "reply-1", "role": "assistant", "content": "reply to 1"}]}}, "parents": {}}');
INSERT INTO checkpoints VALUES ('waits', '', NULL, '{"v": 3, "id": "1f1e7c37-18f9-6cad-8001-d1b990e84a9a", "ts": "2026-11-24T04:56:43.507191+00:00", "pending_sends": [], "versions_seen": {"a": {"branch:to:a": "00000000000000000000000000000002.0.6203799895024533"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.13312019336750625"}}, "channel_versions": {"s": "00000000000000000000000000000003.0.30991547656225593", "x": "00000000000000000000000000000003.0.08074092163510371", "ask": "00000000000000000000000000000002.0.4041441376560422", "__start__": "00000000000000000000000000000002.0.7323584415844825", "branch:to:a": "00000000000000000000000000000003.0.6041665812916186", "branch:to:b": "00000000000000000000000000000003.0.8959086188356338", "branch:to:c": "00000000000000000000000000000003.0.9933245427815847"}, "updated_channels": null}', '{"step": 1, "source": "loop", "writes": {"a": {"s": "hi", "x": ["a"]}}, "parents": {}}');
INSERT INTO checkpoints VALUES ('inside', 'sub:21f6aaac-8c0a-3e4f-6b5d-5354a7dac089', NULL, '{"v": 3, "id": "1f1e7c37-19e6-6612-8001-2babefb29c1a", "ts": "2026-11-24T04:56:43.604107+00:00", "pending_sends": [], "versions_seen": {"i1": {"branch:to:i1": "00000000000000000000000000000002.0.2853999573238629"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.5108620462313483"}}, "channel_versions": {"x": "00000000000000000000000000000003.0.5143384501414726", "ask": "00000000000000000000000000000002.0.9683559062682199", "__start__": "00000000000000000000000000000002.0.2850348334166468", "branch:to:i1": "00000000000000000000000000000003.0.40565383893946416", "branch:to:i2": "00000000000000000000000000000003.0.6428004552410386"}, "updated_channels": null}', '{"step": 1, "source": "loop", "writes": {"i1": {"x": ["i1"]}}, "parents": {"": "1f1e7c37-19c1-64b6-8001-31fe78baf2f7"}}');
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
