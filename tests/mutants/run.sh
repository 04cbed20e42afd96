#!/bin/sh
# Deliberately wrong variants of the trusted code: all of src/dp, and of src/blueprint the
# certificates of solved values and what is charged for. Each is one sed edit of a copy; at least
# one of the tests named beside it must fail, or this script does. A mutant whose edit no longer
# matches the source is an error too, so the list cannot rot in silence.
#
# Usage: tests/mutants/run.sh            all of them, about three minutes
#        tests/mutants/run.sh WORD       those with the word in their name
#        CC=clang tests/mutants/run.sh
set -eu
only=${1:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}
cat >"$work/names.h" <<EOF
#define TEST_SOURCE_DIR "$root"
#define PDPR_COMMIT "mutant"
#define PDPR_BUILD_TYPE "mutant"
EOF
flags="-O1 -std=c11 -ffp-contract=off -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -include $work/names.h"
include="-I$root/src -I$root/include -I$root/tests"
libraries="-lcmocka -lsodium -ljansson -lzstd -lz -lmpfr -lgmp -lm -lpthread"
tests="test_random_stream test_gaussian test_laplace test_box_noise test_select test_meter test_barrier
       test_barrier_release test_barrier_rows test_checkpoint_faults test_private_run_faults
       test_ledger test_ledger_totals test_ledger_damage test_ledger_system test_verify test_input_digest test_accountant check_shadow_worlds
       test_blueprint_certificates test_blueprint_answers check_blueprint_sensitivity"
caught=0
survived=0

# Instruction-set options by file name, as in cmake/Library.cmake.
options() {
    case $1 in
    *_avx2.c) echo "-mavx2 -mfma -mbmi2 -mpopcnt" ;;
    *_avx512.c) echo "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mbmi2 -mpopcnt" ;;
    esac
}

sources() {
    for folder in base graph dp generate dpr blueprint method; do find "$root/src/$folder" -name '*.c'; done
    find "$root/tests/support" -name '*.c'
    for t in $tests; do ls "$root"/tests/*/"$t".c; done
}

mkdir "$work/obj" "$work/src" "$work/bin"
cd "$root"
sources | while read -r source; do # two at a time
    object=$work/obj/$(echo "${source#"$root"/}" | tr / _).o
    echo "$cc $flags $include $(options "$source") -c $source -o $object"
done | xargs -P 2 -I{} sh -c '{}'
ar rc "$work/libcore.a" "$work"/obj/src_*.o "$work"/obj/tests_support_*.o

# Tests of the unchanged sources must pass, or nothing below means anything.
for t in $tests; do
    # shellcheck disable=SC2086
    $cc "$work"/obj/tests_*_"$t".c.o "$work/libcore.a" $libraries -o "$work/bin/$t"
    "$work/bin/$t" >"$work/log" 2>&1 || { cat "$work/log"; echo "unchanged: $t fails"; exit 1; }
done

# mutant NAME FILE SED-EXPRESSION TEST...: a file of src/dp, or FOLDER/FILE
mutant() {
    name=$1 file=$2 edit=$3 folder=dp
    case $file in */*) folder=${file%/*} file=${file##*/} ;; esac
    shift 3
    case $name in *"$only"*) ;; *) return ;; esac
    rm -rf "$work/src" && mkdir -p "$work/src/$folder"
    sed "$edit" "src/$folder/$file" >"$work/src/$folder/$file"
    if cmp -s "src/$folder/$file" "$work/src/$folder/$file"; then
        echo "stale:    $name: the edit does not match src/$folder/$file"
        survived=$((survived + 1))
        return
    fi
    changed=
    case $file in
    clip_value.h) units="barrier_clip.c barrier_rows.c" ;;
    gaussian_lanes_avx2.h) units="gaussian_rounded_avx2.c gaussian_quick_avx2.c" ;;
    *.h) units="gaussian_rounded_portable.c gaussian_rounded_avx2.c" ;;
    *) units=$file ;;
    esac
    for unit in $units; do
        place=$work/src/$folder/$unit
        [ -f "$place" ] || cp "src/$folder/$unit" "$place"
        # shellcheck disable=SC2046,SC2086
        $cc $flags -I"$work/src" $include $(options "$unit") -w -c "$place" -o "$place.o"
        changed="$changed $place.o"
    done
    for t in "$@"; do
        # shellcheck disable=SC2086
        $cc "$work"/obj/tests_*_"$t".c.o $changed "$work/libcore.a" $libraries -o "$work/bin/mutant"
        if ! timeout 60 "$work/bin/mutant" >"$work/log" 2>&1; then
            echo "caught:   $name ($t: $(sed -nE 's/.*(FAILED |ERROR  ) \] ([a-z_]+).*/\2/p' "$work/log" | head -n 1))"
            caught=$((caught + 1))
            return
        fi
    done
    echo "SURVIVED: $name"
    survived=$((survived + 1))
}

mutant "missing factor 2" barrier_clip.c \
    's/plan.sigma = 2 \* (double)/plan.sigma = (double)/; s/2 \* (uint64_t)plan->radius/(uint64_t)plan->radius/' \
    check_shadow_worlds
mutant "missing factor 2 in the check alone" barrier_clip.c \
    's/2 \* (uint64_t)plan->radius/(uint64_t)plan->radius/' test_barrier
mutant "empty step skipped" barrier_clip.c \
    's/^    PDPR_TRY(pdpr_i_meter_spend(clip->meter/    if (!gradient) return PDPR_OK;\n&/' test_barrier
mutant "empty step without noise" barrier_clip.c \
    's/^    s = pdpr_i_gaussian_add/    if (gradient) s = pdpr_i_gaussian_add/' test_barrier
mutant "noise on touched coordinates only" gaussian_rounded.c \
    's/values\[i\] += noise/if (values[i] != 0) &/' test_barrier
mutant "rows: noise on touched rows only" barrier_rows.c \
    's/^        pdpr_i_gaussian_source_draw/        if (clip->gradient \&\& clip->gradient->slot[first] < clip->gradient->num_rows) &/' test_barrier_rows
mutant "rows: idle steps share their noise" barrier_rows.c 's/clip->noise\[step\], first/clip->noise[0], first/' test_barrier_rows
mutant "rows: one draw for all steps" barrier_rows.c 's/root, address, clip->plan/root, 0, clip->plan/' test_barrier_rows
mutant "rows: rows of one slot counted once" barrier_rows.c \
    's/sum += clip->square\[clip->gradient->slot\[row\]\];/sum = clip->square[clip->gradient->slot[row]];/' test_barrier_rows
mutant "one draw for all steps" meter.c \
    's/(uint64_t)number << 32 | meter->used\[number\]/(uint64_t)number << 32/' check_shadow_worlds
mutant "one draw for all charges" meter.c \
    's/(uint64_t)number << 32 | meter->used\[number\]/meter->used[number]/' test_meter
mutant "one step too many" meter.c 's/if (steps > left)/if (steps > left + 1)/' test_barrier
mutant "no certificate of the norm" barrier_clip.c 's/if (sum <= limit)/if (true)/' test_barrier
mutant "no clip at all" barrier_clip.c \
    's/1 \/ fmax(1, sqrt(square))/1.0/; s/if (sum <= limit)/if (true)/' check_shadow_worlds
mutant "noise before clip" barrier_clip.c \
    's/^    if (gradient)$/    PDPR_TRY(pdpr_i_gaussian_add(clip->ctx, root, address, clip->plan.sigma, out, clip->count, err));\n&/; s/^    s = pdpr_i_gaussian_add(.*/    s = PDPR_OK;/' \
    test_barrier
mutant "non-finite entries not silenced" clip_value.h 's/fabs(x) <= DBL_MAX ? x : 0/x/' test_barrier
mutant "failed step leaves clipped values" barrier_clip.c \
    's/^        memset(out, 0, .*never leave.*/        (void)0;/' test_barrier
mutant "sigma rounded down" barrier_clip.c 's/(1 + 0x1p-40)/(1 - 0x1p-40)/' test_barrier
mutant "sigma not checked" barrier_clip.c \
    's/(double)l2_sensitivity <= sigma \* mu \* (1 - 0x1p-50)/true/' test_barrier
mutant "Laplace rate not checked" barrier_release.c \
    's/(wide)rate.num \* request->l1_sensitivity/(wide)rate.num/' test_barrier_release
mutant "interval: rounding not paid" barrier_release.c \
    's/pdpr_i_chunks(request->sensitivity + request->gap, request->units_per_step)/(request->sensitivity + request->gap) \/ request->units_per_step/' \
    test_barrier_release
mutant "interval: gap off by one" barrier_release.c 's/ > request->gap)/ > request->gap + 1)/' \
    test_barrier_release
mutant "interval: gap not paid" barrier_release.c \
    's/request->sensitivity + request->gap,/request->sensitivity,/' test_barrier_release
mutant "selection with epsilon for epsilon/2" barrier_release.c \
    's/2 \* sensitivity, &rate/sensitivity, \&rate/' test_barrier_release
mutant "selection without permutation" permute_and_flip.c 's/(uint64_t)i + 1)/1)/' test_select
mutant "kernel without guard" gaussian_rounded_kernel.h \
    's/sigma \* guard\[i\] + 0x1p-52/0x1p-52/' test_gaussian
mutant "kernel without sign" gaussian_rounded_kernel.h 's/-(int64_t)(word\[i\] & 1)/0/' test_gaussian
mutant "kernel beyond its table" gaussian_rounded_kernel.h 's/return (word >> 1) - low < high - low/return true/' \
    test_gaussian
mutant "AVX2 kernel without guard" gaussian_rounded_avx2.c 's/_CMP_GE_OQ/_CMP_FALSE_OQ/' test_gaussian
mutant "AVX2 kernel with the guard of another octave" gaussian_rounded_avx2.c 's/_mm_max_sd(most/_mm_min_sd(most/' test_gaussian
mutant "AVX2 kernel without sign" gaussian_lanes_avx2.h 's/_mm256_slli_epi64(word, 63)/_mm256_setzero_si256()/' test_gaussian
mutant "quick pass with an eighth of its guard" gaussian_quick_avx2.c 's/sigma \* PDPR_I_GAUSSIAN_QUICK_GUARD/sigma * 0x1.1p-43/' test_gaussian
mutant "quick pass without its tail" gaussian_quick_avx2.c 's/_mm256_cmp_pd(size, tail, _CMP_GE_OQ)/_mm256_setzero_pd()/' test_gaussian
mutant "AVX2 kernel beyond its table" gaussian_rounded_avx2.c 's/_mm256_or_pd(close, uncovered)/close/' test_gaussian
mutant "AVX2 kernel hands on its padding" gaussian_rounded_avx2.c 's/ && open\[i\] < some//' test_gaussian
mutant "ChaCha20 with a wrong rotation" chacha20_avx2.c 's/(\*b, \*c), 7)/(*b, *c), 8)/' test_random_stream
mutant "ChaCha20 without its counter" random_stream.c 's/state\[12\] = (uint32_t)block;//' test_random_stream
mutant "ChaCha20 repeats its groups" chacha20_avx2.c 's/_mm256_set1_epi32(BLOCKS)/_mm256_setzero_si256()/' test_random_stream
mutant "exact path one side only" gaussian_rounded_exact.c 's/while (n > 0 && !is_above/while (false \&\& !is_above/' \
    test_gaussian
mutant "exact path ignores further bits" gaussian_rounded_exact.c \
    's/mpfr_add(p->low, p->low, more, MPFR_RNDN)/(void)0/' test_gaussian
mutant "one page of further bits for all" gaussian_rounded.c \
    's/pdpr_i_stream_seek(&stream, first + at);//' test_gaussian
mutant "Laplace tail cut early" laplace_discrete.c 's/TAIL_EXPONENT = 89/TAIL_EXPONENT = 2/' test_laplace
mutant "Laplace digits with the wrong coin" geometric.c \
    's/pdpr_i_coin_logistic/pdpr_i_coin_exp/' test_laplace
mutant "box noise of one geometric too few" box_noise.c 's/i <= box->count; i++/i < box->count; i++/' test_box_noise
mutant "box noise: every level is kept" box_noise.c 's/kept &= /kept |= /' test_box_noise
mutant "box noise: the coin of one integer only" box_noise.c 's/kept &= /kept = /' test_box_noise
mutant "box noise: tail cut early" box_noise.c 's/TAIL_EXPONENT = 125/TAIL_EXPONENT = 60/' test_box_noise
mutant "verify: more answers than there is room for" verify_certificate_fields.c \
    's/ ||$/ || false ||/; s/out->values > PDPR_I_CLAIM_MOST_ANSWERS/false/' test_verify
mutant "box noise without its levels" box_noise.c 's/epsilon.den \* box.levels/epsilon.den/' test_box_noise
mutant "box noise inside half of its box" box_noise.c 's/stream_below(stream, 2 \* side + 1)/stream_below(stream, side + 1)/' test_box_noise
mutant "box release that costs more than its charge" barrier_release.c \
    's/(wide)request->epsilon.num \* charge->epsilon.den >/(wide)0 >/' test_barrier_release
mutant "verify: any number of levels" verify_certificate_recompute.c 's/if (q->levels == expected)/if (true)/' test_verify
mutant "coin rounded up" bernoulli.c \
    's/mpfr_exp(p, p, MPFR_RNDD)/mpfr_exp(p, p, MPFR_RNDD); mpfr_set_ui_2exp(p, 1, -255, MPFR_RNDD), mpfr_add_d(p, p, 0.5, MPFR_RNDD)/' \
    test_laplace
mutant "meter opens without the ledger" meter.c 's/PDPR_TRY(reserve(.*/(void)reserve; (void)user;/' test_meter
mutant "release through a shut meter" meter.c 's/if (!meter->key)/if (false)/' test_meter
mutant "health test left out" noise_key.c 's/if (!fresh)/if (false)/' test_random_stream
mutant "key survives fork" noise_key.c 's/madvise(page, length, MADV_WIPEONFORK) == 0/true/' \
    test_random_stream
mutant "key not bound to the input" noise_key.c \
    's/{digest, PDPR_I_DIGEST_BYTES}/{"", 0}/' test_random_stream
mutant "key not bound to the build" noise_key.c \
    's/{build, strlen(build) + 1}/{"", 0}/' test_random_stream
mutant "input digest without the edges" private_run.c 's/g->num_arcs \* sizeof \*g->target/0/' test_input_digest
mutant "key not bound to the parameters" noise_key.c \
    's/{parameters, parameters_length}/{"", 0}/' test_random_stream
mutant "purposes share a key" random_stream.c \
    's/(uint64_t)purpose, stream->subkey/0, stream->subkey/' test_random_stream
mutant "stream repeats after 2^32 blocks" random_stream.c \
    's/(unsigned char)(block >> (32 + 8 \* i))/0/' test_random_stream
mutant "seeded run not marked" noise_key.c 's/return key->page->seeded ?/return false ?/' test_random_stream
mutant "step before a charge pays for it" barrier_rows.c 's/if (!clip->meter || /if (/' test_barrier_rows
mutant "key of training handed to anybody" meter.c \
    's/purpose <= PDPR_I_PURPOSE_BOX/purpose <= PDPR_I_PURPOSE_HEALTH/' test_meter
mutant "checkpoint not authenticated before the ledger" checkpoint.c \
    's/PDPR_TRY(authenticate(c, err));/(void)authenticate;/' test_checkpoint_faults
mutant "checkpoint of other parameters" checkpoint.c \
    's/memcmp(hash, m->head.parameters, sizeof hash) != 0/false/' test_checkpoint_faults
mutant "checkpoint of another machine" checkpoint.c \
    's/crypto_generichash_update(&state, (const unsigned char \*)build, strlen(build) + 1);//' test_checkpoint_faults
mutant "old generation of a checkpoint left on disk" checkpoint_file.c \
    's/^            overwrite(file->descriptor);/            (void)0;/' test_checkpoint_faults
mutant "old generation overwritten before the new name is on disk" checkpoint_file.c 's/if (on_disk)/if (true)/' \
    test_checkpoint_faults
mutant "removed checkpoint left on disk" checkpoint_file.c \
    's/^    overwrite(file->descriptor);$/    (void)0;/' test_checkpoint_faults
mutant "half-made generation left on disk" checkpoint_file.c 's/^            overwrite(old);/            (void)0;/' \
    test_checkpoint_faults
mutant "foreign file beside a checkpoint removed" checkpoint_file.c 's/bool ours = is_checkpoint(old)/bool ours = true/' \
    test_checkpoint_faults
mutant "foreign file taken for a half-made one" checkpoint_file.c 's/if (!is_checkpoint(descriptor))/if (false)/' \
    test_checkpoint_faults
mutant "checkpoint written to another user's file" checkpoint_file.c 's/ || info.st_uid != geteuid()//' test_checkpoint_faults
mutant "any file called a checkpoint" checkpoint_file.c 's/bool is_one = is_checkpoint(descriptor)/bool is_one = true/' \
    test_checkpoint_faults
mutant "first generation replaces a file" checkpoint_file.c 's/(first ? link/(false ? link/' test_checkpoint_faults
mutant "checkpoint in use taken over" checkpoint_file.c \
    's/if (!pdpr_i_file_lock(file->descriptor, file->path))/if (false)/' test_checkpoint_faults
mutant "checkpoint that others can read" checkpoint_file.c 's/(info.st_mode & 077) != 0/false/' test_checkpoint_faults
mutant "generation named before it is on disk" checkpoint_file.c 's/if (fsync(fresh) != 0)/if (false)/' \
    test_checkpoint_faults
mutant "noise before the first checkpoint" private_run.c 's/PDPR_TRY(pdpr_i_checkpoint_save(c, 0, NULL, 0, err));/(void)0;/' \
    test_private_run_faults
mutant "resumed run draws other noise" private_run.c 's/source.fill = replay;/(void)replay;/' test_private_run_faults
mutant "failed start not refunded" private_run.c \
    's/pdpr_status refunded = pdpr_ledger_refund(run->ledger, run->id, NULL);/pdpr_status refunded = PDPR_OK;/' \
    test_private_run_faults
mutant "refunded run leaves its checkpoint" private_run.c 's/if (refunded == PDPR_OK && c)/if (false)/' \
    test_private_run_faults
mutant "reservation that may stand is forgotten" ledger.c 's/    if (tried)$/    if (s == PDPR_OK)/' test_private_run_faults
mutant "run that counts is not told" private_run.c 's/return reserved || drawn;/return false;/' test_private_run_faults
mutant "run that does not count is told" private_run.c 's/return reserved || drawn;/return true;/' test_private_run_faults
mutant "run taken up without DRAWN" private_run.c 's/if (state == PDPR_RUN_RESERVED)/if (false)/' \
    test_private_run_faults
mutant "resumed run forgets that it has drawn" ledger.c 's/if (\*out_state == PDPR_RUN_DRAWN || .*/if (false)/' test_ledger
mutant "resumed run trusts a line that is not flushed" ledger.c 's/PDPR_TRY(pdpr_i_ledger_file_flush(&file, err));.*/(void)file;/' test_ledger
mutant "recovery trusts a line that is not flushed" ledger_find.c 's/PDPR_TRY(pdpr_i_ledger_file_flush(&file, err));/(void)file;/' \
    test_ledger
mutant "run is in whatever state is asked for" ledger_find.c 's/found\[0\] && state == asked/found[0]/' \
    test_ledger
mutant "last line without its newline is forgotten" ledger_state.c 's/if (!newline && !closes(.*/if (!newline)/' test_ledger_damage
mutant "last line cut off because it is wrong" ledger_state.c 's/        if (s != PDPR_OK)$/        if (!newline \&\& s != PDPR_OK) break; if (s != PDPR_OK)/' test_ledger_damage
mutant "brace in a text ends a line" ledger_state.c 's/else if (!quoted && text\[i\] == .}. /else if (text[i] == 125 /' test_ledger_damage
mutant "kept line gets no newline" ledger_file.c 's/    if (file->unended) {/    if (false) {/' test_ledger_damage
mutant "paid run gives up on a busy ledger" ledger_file.c 's/pauses_left == 0 && !patient/pauses_left == 0/' test_ledger_system
mutant "COMMIT waits no longer than RESERVE" ledger.c 's/ || record->kind == PDPR_I_RECORD_COMMIT ||/ ||/' test_ledger_system
mutant "budget with a delta that promises nothing" ledger.c 's/if (delta > most_delta)/if (false)/' test_ledger_totals
mutant "verify: unknown profile" verify_certificate_method.c \
    's/ \&\& strcmp(list\[i\].profile, c->profile) == 0//' test_verify
mutant "second accountant joins close losses" accountant_check.c 's/1e-15L \* j->sum/1e-4L * j->sum/' test_accountant
mutant "second accountant passes a low claim" accountant_check.c 's/claimed >= epsilon \* (1 - 1e-9)/claimed >= epsilon * (1 - 1e-6)/' \
    test_accountant
mutant "verify: missing hyper-parameter" verify_certificate_method.c 's/    if (!printed)/    if (false)/' test_verify
mutant "verify: embedding under blueprint" verify_certificate_method.c 's/m->embeds != c->has_embedding ||//' \
    test_verify

# What a solver says is proved by its certificate; what is proved is released at its sensitivity.
mutant "packing: item above its bound" blueprint/packing_certificate.c \
    's/if (z\[j\] > /if (false \&\& z[j] > /' test_blueprint_certificates
mutant "packing: caps not checked" blueprint/packing_certificate.c \
    's/if (load > /if (false \&\& load > /' test_blueprint_certificates
mutant "packing: price above one" blueprint/packing_certificate.c \
    's/if (y\[v\] > PDPR_I_PACKING_ONE)/if (false)/' test_blueprint_certificates
mutant "packing: what prices do not cover is left out" blueprint/packing_certificate.c \
    's/if (price < PDPR_I_PACKING_ONE)/if (false)/' test_blueprint_certificates
mutant "packing: third row of an item forgotten" blueprint/packing_certificate.c \
    's/k < 3 \&\& p->row/k < 2 \&\& p->row/' test_blueprint_certificates
mutant "forest: cycle taken for a forest" blueprint/forest_certificate.c \
    's/!pdpr_i_unite(w->parent, p->end\[edge\[i\]\]\[0\], p->end\[edge\[i\]\]\[1\])/false/' test_blueprint_certificates
mutant "forest: a cycle in the heaviest forest" blueprint/forest_certificate.c \
    's/if (pdpr_i_unite(w->parent, p->end\[e\]\[0\], p->end\[e\]\[1\]))/if (true)/' test_blueprint_certificates
mutant "forest: lightest edges first" blueprint/forest_certificate.c \
    's/uint32_t value = VALUES; value-- > 0;/uint32_t value = 0; value < VALUES; value++/; s/if (i > 0 \&\& w->weight/if (false \&\& w->weight/' test_blueprint_certificates
mutant "forest: price above one" blueprint/forest_certificate.c \
    's/if (y\[v\] > PDPR_I_FOREST_ONE)/if (false)/' test_blueprint_certificates
mutant "forest: number of forests wraps around" blueprint/forest_certificate.c \
    's/if (times > most || .*/if (false)/' test_blueprint_certificates
mutant "forest: mean of no forest" blueprint/forest_certificate.c \
    's/if (sum->total == 0)/if (false)/' test_blueprint_certificates
mutant "forest: above the mean" blueprint/forest_certificate.c \
    's/(pdpr_i_wide)z\[e\] \* (pdpr_i_wide)sum->total >/false \&\& 0 >/' test_blueprint_certificates
mutant "forest: caps not checked" blueprint/forest_certificate.c \
    's/if (w->load\[v\] > /if (false \&\& w->load[v] > /' test_blueprint_certificates
mutant "routes: price above the highest" blueprint/routing_certificate.c \
    's/if (x\[v\] > pdpr_i_routing_most_price(r) \* (uint64_t)HOP)/if (false)/' test_blueprint_certificates
mutant "routes: prices of the caps left out" blueprint/routing_certificate.c \
    's/sum -= (uint64_t)r->cap \* x\[v\];/(void)0;/' test_blueprint_certificates
mutant "routes: another pair's" blueprint/routing_certificate.c \
    's/path\[0\] != ends\[0\] || path\[length - 1\] != ends\[1\]/false/' test_blueprint_certificates
mutant "routes: links that are none" blueprint/routing_certificate.c \
    's/if (!pdpr_i_graph_has_arc(.*/if (false)/' test_blueprint_certificates
mutant "routes: nothing for giving up" blueprint/routing_certificate.c \
    's/mix->cost += r->horizon;/(void)0;/' test_blueprint_certificates
mutant "routes: shorter than the floor" blueprint/routing_certificate.c \
    's/pdpr_i_routing_hops(r, length - 1)/length - 1/' test_blueprint_certificates
mutant "routes: uneven mixture" blueprint/routing_certificate.c \
    's/if (mix->times\[i\] != mix->times\[0\])/if (false)/' test_blueprint_certificates
mutant "routes: load above the cap for nothing" blueprint/routing_certificate.c \
    's/if (load > allowed)/if (false)/' test_blueprint_certificates
mutant "routes: mean rounded down" blueprint/routing_certificate.c \
    's/(sum \* HOP + times - 1) \/ times/sum * HOP \/ times/' test_blueprint_certificates
mutant "interval: lower bound rounded up" blueprint/interval.c \
    's/(lo >> shift)/((lo + most) >> shift)/' test_blueprint_certificates
mutant "interval: upper bound rounded down" blueprint/interval.c \
    's/((hi + most) >> shift)/(hi >> shift)/' test_blueprint_certificates
mutant "projection: one link above the cap" blueprint/measure_projection.c \
    's/(\*a < theta) \& /(*a <= theta) \& /' check_blueprint_sensitivity
mutant "loss of a cap without its division" blueprint/blueprint_measure.c \
    's/(int64_t)(edges \/ cap)/(int64_t)edges/' check_blueprint_sensitivity
mutant "histogram for half of its sensitivity" blueprint/blueprint_measure.c \
    's/return 2 \* (uint64_t)numbers->theta;/return numbers->theta;/' test_blueprint_answers
mutant "second triangles for the price of the first" blueprint/blueprint_measure.c \
    's/numbers->triangle_cap\[query == PDPR_I_BP_TRIANGLES_2\]/numbers->triangle_cap[0]/' test_blueprint_answers
mutant "triangles without their gap" blueprint/blueprint_measure.c \
    's/return 2 \* (uint64_t)cap + pdpr_i_bp_triangle_gap(cap);/return 2 * (uint64_t)cap;/' test_blueprint_answers
mutant "triangle cap from private triangles" blueprint/blueprint_measure.c \
    's/pdpr_i_bp_first_triangle_cap(m->plan, m->out)/1 + (uint32_t)(counts->triangles \/ m->plan->num_nodes)/' test_blueprint_answers

echo "$caught caught, $survived not"
[ "$survived" -eq 0 ]
