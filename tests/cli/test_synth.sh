#!/bin/sh
# Private runs through the program: synth, fit, sample, plan, methods; ledger and certificate go with them.
. "$(dirname "$0")/lib.sh"
export XDG_STATE_HOME="$work/state"

"$privdpr" generate social "$work/g.edges" --nodes 300 --edges 1200
"$privdpr" generate gnm "$work/other.edges" --nodes 300 --edges 900
printf '# nodes: 300\n' >"$work/none.edges"
net="--edges 1200 --width 8 --epochs 2"
sizes="--method privdpr $net --columns 16"
small="$sizes --profile paper"

expect plan_of_cora_has_the_papers_depth 0 'hidden layers (L)          9' "$privdpr" plan --method privdpr --profile paper --nodes 2708 --epsilon 3.2
expect plan_of_amazon_has_the_papers_depth 0 '"layers": 14' "$privdpr" plan --method privdpr --profile paper --nodes 410236 --epsilon 3.2 --delta 1e-6 --json
expect plan_says_that_the_network_is_not_run 0 'same for every edge set' "$privdpr" plan --method privdpr --profile paper --nodes 2708 --epsilon 3.2
expect plan_knows_when_the_network_matters 0 '"below_grid": false' "$privdpr" plan --method privdpr --profile paper --nodes 2708 --epsilon 3.2 --layers 7 --json
expect plan_of_tight_runs_the_network 0 '"below_grid": false' "$privdpr" plan --method privdpr --profile tight --nodes 2708 --epsilon 3.2 --json
expect full_training_is_for_methods_that_train 2 'takes no --full-training' "$privdpr" plan --method blueprint --nodes 300 --epsilon 1 --full-training
expect plan_names_the_bound_of_the_papers_example 0 '"gradient_bound": 10463.97' "$privdpr" plan --method privdpr --profile paper --nodes 3327 --epsilon 3.2 --json
expect methods_are_listed 0 'whole edge set' "$privdpr" methods

# shellcheck disable=SC2086 # options are words
{
    expect synth_works 0 'public.edges.certificate.json' "$privdpr" synth "$work/g.edges" -o "$work/public.edges" --epsilon 3.2 $small
    expect verify_accepts_it 0 'follows from its numbers' "$privdpr" verify "$work/public.edges.certificate.json" "$work/public.edges"
    expect ledger_shows_one_published_run 0 'published' "$privdpr" ledger
    echo '0 1' >>"$work/public.edges"
    expect verify_refuses_a_changed_output 1 'not the file that was certified' "$privdpr" verify "$work/public.edges.certificate.json" "$work/public.edges"
    "$privdpr" synth "$work/g.edges" -o "$work/again.edges" --epsilon 3.2 $small -q
    "$privdpr" synth "$work/g.edges" -o "$work/third.edges" --epsilon 3.2 $small -q
    if cmp -s "$work/again.edges" "$work/third.edges"; then
        not_ok unseeded_runs_differ "the same bytes twice"
    else
        ok unseeded_runs_differ
    fi

    # The null-input test: at the paper's settings the output does not depend on the edges at all. The network is run, which the
    # proof would spare it (docs/design/0016-signal-below-the-grid.md); without it come the same bytes.
    for input in g other none; do
        "$privdpr" synth "$work/$input.edges" -o "$work/$input.out.edges" --epsilon 3.2 $small --seed 5 -q --full-training --save-embedding "$work/$input.npy"
    done
    same paper_profile_does_not_see_the_edges "$work/g.out.edges" "$work/other.out.edges"
    same paper_profile_does_not_see_that_there_are_none "$work/g.out.edges" "$work/none.out.edges"
    same paper_embedding_does_not_see_the_edges "$work/g.npy" "$work/none.npy"
    "$privdpr" synth "$work/g.edges" -o "$work/short.edges" --epsilon 3.2 $small --seed 5 -q --save-embedding "$work/short.npy"
    same network_that_is_proved_away_changes_no_edge "$work/g.out.edges" "$work/short.edges"
    same network_that_is_proved_away_changes_no_bit_of_the_embedding "$work/g.npy" "$work/short.npy"
    "$privdpr" synth "$work/g.edges" -o "$work/one.edges" --epsilon 3.2 $small --seed 5 -q --threads 1
    same threads_do_not_change_a_byte "$work/g.out.edges" "$work/one.edges"
    expect seeded_run_is_not_certified 1 'seeded' "$privdpr" verify "$work/one.edges.certificate.json" "$work/one.edges"
    expect seeded_run_says_so_under_quiet 0 'NO GUARANTEE' "$privdpr" synth "$work/g.edges" -o "$work/sq.edges" --epsilon 1 $small --seed 1 -q
    expect seeded_run_says_so 0 'NO GUARANTEE' "$privdpr" synth "$work/g.edges" -o "$work/s.edges" --epsilon 1 $small --seed 1

    for profile in tight head; do
        expect "${profile}_works" 0 '' "$privdpr" synth "$work/g.edges" -o "$work/$profile.edges" --epsilon 1 $sizes --profile $profile -q
        expect "${profile}_verifies" 0 'follows from its numbers' "$privdpr" verify "$work/$profile.edges.certificate.json" "$work/$profile.edges"
    done
    for cpu in auto portable; do
        "$privdpr" synth "$work/g.edges" -o "$work/$cpu.edges" --epsilon 2 $sizes --profile tight --seed 6 -q --cpu $cpu --save-embedding "$work/$cpu.npy"
    done
    same kernels_do_not_change_a_bit_of_the_embedding "$work/auto.npy" "$work/portable.npy"
    expect dpr_says_that_it_is_not_private 0 'NO PRIVACY' "$privdpr" synth "$work/g.edges" -o "$work/dpr.edges" --method dpr --profile paper $net --columns 16
    expect dpr_says_so_under_quiet 0 'NO PRIVACY' "$privdpr" synth "$work/g.edges" -o "$work/dprq.edges" --method dpr --profile paper $net --columns 16 -q
    expect null_model_is_a_method 0 '' "$privdpr" synth "$work/g.edges" -o "$work/null.edges" --method null --edges 1200 -q

    # The default profile of privdpr: an embedding and a blueprint under one promise.
    expect steered_is_the_default_profile 0 'st.edges.certificate.json' "$privdpr" synth "$work/g.edges" -o "$work/st.edges" --epsilon 3.2 --method privdpr --release "$work/st.release"
    expect steered_verifies 0 'follows from its numbers' "$privdpr" verify "$work/st.edges.certificate.json" "$work/st.edges"
    expect steered_says_node_level 0 'node (replace-one)' "$privdpr" verify "$work/st.edges.certificate.json"
    expect steered_certificate_has_both_parts 0 'mechanisms.queries[5]' sh -c "'$privdpr' verify '$work/st.edges.certificate.json' | grep -A9 'embedding.sigma_int'"
    expect steered_is_one_run_of_the_ledger 0 '1' sh -c "'$privdpr' ledger | grep -c 'privdpr .* epsilon 3.2 at'"
    expect steered_samples_from_its_release 0 '' "$privdpr" sample "$work/st.release" -o "$work/sts.edges" -q
    same steered_sample_is_what_was_published "$work/st.edges" "$work/sts.edges"
    for threads in 1 2; do
        "$privdpr" synth "$work/g.edges" -o "$work/st$threads.edges" --epsilon 3.2 --method privdpr --seed 4 --threads $threads -q
    done
    same steered_does_not_depend_on_threads "$work/st1.edges" "$work/st2.edges"
    expect steered_works_without_edges 0 '' "$privdpr" synth "$work/none.edges" -o "$work/stn.edges" --epsilon 1 --method privdpr -q
    expect steered_measures_the_edges 2 'leave --edges out' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --method privdpr --edges 9
    expect embedding_share_has_a_range 2 'from 0.01 to 0.9' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --method privdpr --embedding-share 0.95
    expect embedding_share_of_nothing_is_refused 2 'more than 0' "$privdpr" plan --nodes 9 --epsilon 1 --method privdpr --embedding-share 0
    expect embedding_share_is_for_steered_only 2 'profile steered only' "$privdpr" plan --nodes 300 --epsilon 1 --method privdpr --profile head --embedding-share 0.2
    expect plan_of_steered_shows_both_parts 0 'share epsilon 2.88' "$privdpr" plan --nodes 300 --epsilon 3.2 --method privdpr
    # The null-input test: who takes which place does not follow from the edges, what there is to take does.
    "$privdpr" synth "$work/none.edges" -o "$work/stnull.edges" --epsilon 3.2 --method privdpr --seed 4 -q
    differ steered_structure_follows_from_the_edges "$work/st1.edges" "$work/stnull.edges"

    # The default method.
    expect blueprint_is_the_default 0 'blue.edges.certificate.json' "$privdpr" synth "$work/g.edges" -o "$work/blue.edges" --epsilon 3.2 --release "$work/blue.release"
    expect blueprint_verifies 0 'follows from its numbers' "$privdpr" verify "$work/blue.edges.certificate.json" "$work/blue.edges"
    expect blueprint_says_node_level 0 'node (replace-one)' "$privdpr" verify "$work/blue.edges.certificate.json"
    for threads in 1 2; do
        "$privdpr" synth "$work/g.edges" -o "$work/b$threads.edges" --epsilon 3.2 --seed 4 --threads $threads -q
    done
    same blueprint_does_not_depend_on_threads "$work/b1.edges" "$work/b2.edges"
    expect blueprint_samples_from_its_release 0 '' "$privdpr" sample "$work/blue.release" -o "$work/bs.edges" --samples 3
    for input in none other; do
        expect "blueprint_works_on_$input" 0 '' "$privdpr" synth "$work/$input.edges" -o "$work/b-$input.edges" --epsilon 1 -q
    done
    printf '# nodes: 3\n# directed: yes\n0 1\n1 0\n1 2\n' >"$work/arcs.edges"
    expect directed_input_is_said_to_be_read_as_undirected 0 'are read as undirected' "$privdpr" synth "$work/arcs.edges" -o "$work/b-arcs.edges" --epsilon 1
    # Graphs on which something is extreme, of 60 nodes.
    for kind in star clique two_cliques_and_a_bridge one_edge; do
        awk -v kind="$kind" 'BEGIN {
            print "# nodes: 60"
            for (u = 0; u < 60; u++)
                for (v = u + 1; v < 60; v++)
                    if (kind == "clique" || (kind == "star" && u == 0) || (kind == "one_edge" && v == 1) ||
                        (kind ~ /bridge/ && (int(u / 30) == int(v / 30) || (u == 29 && v == 30))))
                        print u, v }' >"$work/$kind.edges"
        expect "blueprint_works_on_$kind" 0 '' "$privdpr" synth "$work/$kind.edges" -o "$work/b-$kind.edges" --epsilon 1 -q
        expect "blueprint_of_${kind}_verifies" 0 'follows from its numbers' "$privdpr" verify "$work/b-$kind.edges.certificate.json" "$work/b-$kind.edges"
    done
    printf '# nodes: 2\n0 1\n' >"$work/two.edges"
    expect blueprint_works_on_two_nodes 0 '' "$privdpr" synth "$work/two.edges" -o "$work/b-two.edges" --epsilon 1 -q
    expect plan_of_blueprint 0 'queries' "$privdpr" plan --nodes 3000 --epsilon 1
    expect plan_forecasts_the_errors 0 'graph of mean degree 8 ' "$privdpr" plan --nodes 3000 --epsilon 1
    expect plan_takes_the_density_from_the_edges 0 '"forecast_mean_degree": 4, "forecast_triangles":' "$privdpr" plan --nodes 3000 --edges 6000 --epsilon 1 --json
    expect plan_takes_a_mean_degree 0 'graph of mean degree 20 ' "$privdpr" plan --nodes 3000 --epsilon 1 --method privdpr --mean-degree 20
    expect plan_refuses_an_impossible_mean_degree 2 'mean degree: expected' "$privdpr" plan --nodes 30 --epsilon 1 --mean-degree 30
    expect plan_of_two_nodes_has_no_forecast 0 'queries' "$privdpr" plan --nodes 2 --epsilon 1

    expect fit_reports_what_noise_did 0 'noise scale      95 % from' "$privdpr" fit "$work/g.edges" -o "$work/u.release" --epsilon 3.2
    expect fit_names_each_number 0 'edges_wide' "$privdpr" fit "$work/g.edges" -o "$work/u2.release" --epsilon 3.2
    expect fit_has_its_numbers_as_json 0 '"name": "edges_wide", "values": 1, "value": ' "$privdpr" fit "$work/g.edges" -o "$work/u3.release" --epsilon 3.2 --json
    expect compare_each_has_a_column_a_graph 0 'nearer than the null model' "$privdpr" compare "$work/g.edges" "$work/blue.edges" "$work/null.edges" --each
    expect compare_each_names_them 0 'blue           null' "$privdpr" compare "$work/g.edges" "$work/blue.edges" "$work/null.edges" --each

    expect fit_writes_a_release 0 'r.release' "$privdpr" fit "$work/g.edges" -o "$work/r.release" --epsilon 3.2 $small
    expect sample_from_it 0 '' "$privdpr" sample "$work/r.release" -o "$work/s.edges" --samples 2 --seed 9
    cp "$work/s-2.edges" "$work/kept.edges"
    expect sample_again 0 's-2.edges' "$privdpr" sample "$work/r.release" -o "$work/s.edges" --force --samples 2 --seed 9 --threads 1
    same sample_is_reproducible "$work/s-2.edges" "$work/kept.edges"
    head -c 2000 "$work/r.release" >"$work/cut.release"
    expect release_on_standard_input_is_refused 2 'FILE.release: expected a file, found -' "$privdpr" sample - -o "$work/x.edges"
    expect damaged_release_is_refused 3 'cut.release' "$privdpr" sample "$work/cut.release" -o "$work/x.edges"

    # Names that cannot be published under are refused before anything is spent.
    runs=$("$privdpr" ledger | grep -c 'run ')
    cp "$work/state/privdpr/ledger" "$work/ledger.before"
    expect output_without_a_known_extension_is_refused 2 'ends in .txt' "$privdpr" synth "$work/g.edges" -o "$work/x.unknown" --epsilon 1 $small
    expect output_in_no_folder_is_refused 1 'cannot create' "$privdpr" synth "$work/g.edges" -o "$work/nowhere/x.edges" --epsilon 1 $small
    expect output_to_a_pipe_is_refused 2 'name of a file' "$privdpr" synth "$work/g.edges" -o - --epsilon 1 $small
    expect release_on_the_graph_is_refused 2 'same name' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --release "$work/./x.edges" --epsilon 1 $small
    expect release_on_a_sample_is_refused 2 'same name' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --samples 2 --release "$work/x-2.edges" --epsilon 1 $small
    expect release_on_the_certificate_is_refused 2 'same name' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --release "$work/x.edges.certificate.json" --epsilon 1 $small
    expect output_on_the_input_is_refused 2 'input would be replaced' "$privdpr" synth "$work/g.edges" -o "$work/./g.edges" --epsilon 1 $small
    expect output_on_the_ledger_is_refused 2 'is the ledger' "$privdpr" fit "$work/g.edges" -o "$work/state/privdpr/ledger" --epsilon 1 $small --force
    mkfifo "$work/pipe.edges"
    expect output_on_no_regular_file_is_refused 2 'regular file' "$privdpr" synth "$work/g.edges" -o "$work/pipe.edges" --epsilon 1 $small
    echo kept >"$work/.draft-x.edges"
    expect draft_of_another_run_is_not_overwritten 2 'left this draft' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 $small
    expect draft_of_another_run_is_kept 0 'kept' cat "$work/.draft-x.edges"
    rm "$work/.draft-x.edges"
    same wrong_names_cost_nothing "$work/state/privdpr/ledger" "$work/ledger.before"
    no_files wrong_names_leave_no_files 'x*.edges*'
    expect ledger_has_no_more_runs 0 "$runs" sh -c "'$privdpr' ledger | grep -c 'run '"

    # A graph without edges is a graph like any other: whether there are edges is private.
    printf '# nodes: 300\n' >"$work/empty.edges"
    expect edgeless_graph_is_not_told_apart 0 '' "$privdpr" synth "$work/empty.edges" -o "$work/from-empty.edges" --epsilon 3.2 $small
    # The embedding as a file of its own: 300 rows of 4-byte numbers behind 128 bytes of head, and in the certificate.
    expect embedding_is_saved 0 'v.npy' "$privdpr" synth "$work/g.edges" -o "$work/e.edges" --epsilon 3.2 --method privdpr --profile paper $net --columns 8 --save-embedding "$work/v.npy" --pairing start
    expect embedding_has_its_size 0 '9728' stat -c %s "$work/v.npy"
    expect embedding_says_its_shape 0 "'shape': (300, 8)" head -c 128 "$work/v.npy"
    expect embedding_verifies 0 '' "$privdpr" verify "$work/e.edges.certificate.json" "$work/v.npy"

    # Bad parameters get an answer that says what to change.
    expect epsilon_is_needed 2 'expected --epsilon' "$privdpr" synth "$work/g.edges" -o "$work/x.edges"
    expect epsilon_zero_is_refused 2 'epsilon' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 0
    expect negative_delta_is_refused 2 '--delta: expected 0 or more, found -1' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --delta -1
    expect negative_delta_is_refused_by_plan 2 '--delta: expected 0 or more, found -1e-5' "$privdpr" plan --nodes 300 --epsilon 1 --method privdpr --delta -1e-5
    expect delta_of_minus_nothing_is_nothing 0 'epsilon 1, delta 0' "$privdpr" plan --nodes 300 --epsilon 1 --delta -0
    expect large_delta_is_refused 2 'delta' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --delta 0.01
    expect edge_count_is_needed 2 '--edges M' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --method privdpr --profile paper
    expect too_many_edges_are_refused 2 'at most 44850' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --method privdpr --profile paper --edges 44851
    expect unknown_method_is_refused 2 'expected one of the methods' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --method magic
    expect unknown_profile_is_refused 2 'expected one of the profiles' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --method privdpr --edges 9 --profile fast
    expect small_spectral_factor_is_refused 2 'expected' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --method privdpr --profile paper --edges 9 --spectral 0.5
    deep="--method privdpr --profile paper --edges 9 --epsilon 1"
    expect negative_epsilon_is_refused 2 'epsilon: expected a number above 0' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --method privdpr --profile paper --edges 9 --epsilon -1
    expect spectral_factor_of_one_is_refused 2 'expected above 1' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" $deep --spectral 1
    expect no_columns_are_refused 2 '--columns: expected a number from 1' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" $deep --columns 0
    expect too_many_columns_are_refused 2 'expected 1 to 16384' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" $deep --columns 20000
    expect too_long_walks_are_refused 2 'fewer than 2^32 pairs a batch' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" $deep --walk-length 4000000000
    expect batch_beyond_the_nodes_is_refused 2 'expected 1 to 300 start nodes' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" $deep --batch 301
    expect delta_of_one_over_n_is_refused 2 'give a smaller one' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" $deep --delta 0.00334
    expect damping_of_one_is_refused 2 'between 0 and 1' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" $deep --damping 1
    expect unknown_pairing_is_refused 2 'consecutive or start' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" $deep --pairing both
    expect embedding_of_a_method_without_one_is_refused 2 'takes no --save-embedding' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --save-embedding "$work/x.npy"
    printf '# nodes: 1\n' >"$work/one.edges"
    expect one_node_is_refused 2 'at least 2 nodes' "$privdpr" synth "$work/one.edges" -o "$work/x.edges" $deep
    printf '0 1\n1 2\n' >"$work/undeclared.edges"
    # SNAP and KONECT count the nodes that occur: two graphs that differ in one node's links would publish two numbers.
    for head in '# Nodes: 6 Edges: 5' '% sym unweighted
% 5 6 6'; do
        printf '%s\n1 2\n2 3\n3 4\n4 5\n' "$head" >"$work/counted.edges"
        expect counted_nodes_are_not_declared 2 'count those that occur' "$privdpr" synth "$work/counted.edges" -o "$work/x.edges" --epsilon 1
    done
    expect counted_nodes_can_be_accepted 0 'counted.out.edges' "$privdpr" synth "$work/counted.edges" -o "$work/counted.out.edges" --epsilon 1 --nodes infer
    expect accepted_nodes_are_in_the_certificate 0 'inferred from the file and accepted as public' cat "$work/counted.out.edges.certificate.json"
    expect undeclared_node_count_is_refused 2 'declares no number of nodes' "$privdpr" synth "$work/undeclared.edges" -o "$work/x.edges" --epsilon 1
    expect options_of_another_method_are_refused 2 'takes no --layers' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --layers 3
    expect edges_are_not_for_the_blueprint 2 'takes no --edges' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --edges 5
    "$privdpr" ledger >"$work/before" 2>/dev/null
    expect name_that_no_certificate_holds_is_refused 2 'printable ASCII' "$privdpr" synth "$work/g.edges" -o "$work/$(printf 'x\303\266').edges" --epsilon 1
    expect note_that_no_certificate_holds_is_refused 2 'printable ASCII' "$privdpr" synth "$work/g.edges" -o "$work/x.edges" --epsilon 1 --preprocessing ''
    "$privdpr" ledger >"$work/after" 2>/dev/null
    same refused_texts_cost_nothing "$work/before" "$work/after"
    no_files refused_runs_write_nothing 'x.edges*'
    no_files no_drafts_are_left '.draft-*'

    # A budget is kept, and a refused run costs nothing.
    "$privdpr" ledger --dataset "$work/g.edges" --set-budget 4,1e-5 >/dev/null 2>&1
    expect overdraft_is_refused 4 '' "$privdpr" synth "$work/g.edges" -o "$work/y.edges" --epsilon 3.9 --delta 1e-5 $sizes --profile tight
    no_files overdraft_publishes_nothing 'y.edges*'
}
finish
