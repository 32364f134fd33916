// What this machine can do: the band join as tight loops over columns, with no gates, threads that
// share nothing, and results that are only folded into a checksum or kept as row numbers.
//
// A tuple pairs with the tuples of the opposite stream that arrived before it and are at most
// `window` older; R goes first among equal times. Columns are ordered by time. `key` is the integer
// attribute (x, a, or an equi key when `key_band` is 0), `value` the float one; an
// infinite `value_band` leaves `value` untested. The library is called from Python through a C interface.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

extern "C" {

struct Columns {
  int64_t size;
  const int64_t* ts;
  const int32_t* key;
  const float* value;
};

struct Query {
  int64_t window;
  int32_t key_band;
  float value_band;
};

struct Totals {
  int64_t matches;
  int64_t checksum;
  int64_t comparisons;
};
}

namespace {

struct Pair {
  uint32_t r, s;
};

struct Worker {
  Totals totals{};
  bool keep = false;
  std::vector<Pair> pairs;
};

void match(Worker& w, const Columns& r, const Columns& s, size_t i, size_t j) {
  w.totals.matches++;
  w.totals.checksum += r.ts[i] * 31 + s.ts[j] * 17 + int64_t{r.key[i]} * 7 + s.key[j];
  if (w.keep) w.pairs.push_back({uint32_t(i), uint32_t(j)});
}

// Unsigned wrap-around makes one comparison of a two-sided test.
bool near(int32_t key, float value, int32_t probe_key, float probe_value, const Query& q) {
  const uint32_t distance = uint32_t(key) - uint32_t(probe_key) + uint32_t(q.key_band);
  return (distance <= 2u * uint32_t(q.key_band)) &
         (std::fabs(value - probe_value) <= q.value_band);
}

// The two scans count the tuples of [lo, hi) that match; they differ in nothing but vectors.
uint32_t count_vector(const Columns& c, size_t lo, size_t hi, int32_t key, float value,
                      const Query& q) {
  const int32_t* __restrict keys = c.key;
  const float* __restrict values = c.value;
  const uint32_t band = uint32_t(q.key_band), width = 2u * band;
  const float value_band = q.value_band;
  uint32_t count = 0;
  for (size_t k = lo; k < hi; k++) {
    const uint32_t distance = uint32_t(keys[k]) - uint32_t(key) + band;
    count += (distance <= width) & (std::fabs(values[k] - value) <= value_band);
  }
  return count;
}

__attribute__((optimize("no-tree-vectorize"))) uint32_t count_scalar(const Columns& c, size_t lo,
                                                                     size_t hi, int32_t key,
                                                                     float value, const Query& q) {
  const uint32_t band = uint32_t(q.key_band), width = 2u * band;
  const float value_band = q.value_band;
  uint32_t count = 0;
  for (size_t k = lo; k < hi; k++) {
    const uint32_t distance = uint32_t(c.key[k]) - uint32_t(key) + band;
    if (distance <= width && std::fabs(c.value[k] - value) <= value_band) count++;
    asm volatile("" ::: );
  }
  return count;
}

// Calls take(side, index, first, last) for each tuple in time order, with the opposite window.
template <class Take>
void in_order(const Columns& r, const Columns& s, int64_t window, Take take) {
  const size_t nr = size_t(r.size), ns = size_t(s.size);
  size_t ir = 0, is = 0, first_r = 0, first_s = 0;
  while (ir < nr || is < ns) {
    if (is >= ns || (ir < nr && r.ts[ir] <= s.ts[is])) {
      while (first_s < is && s.ts[first_s] < r.ts[ir] - window) first_s++;
      take(true, ir, first_s, is);
      ir++;
    } else {
      while (first_r < ir && r.ts[first_r] < s.ts[is] - window) first_r++;
      take(false, is, first_r, ir);
      is++;
    }
  }
}

// Calls emit(index) for each match in [lo, hi). Matches are rare, so a block is counted first and
// visited again only when it holds one.
template <class Count, class Emit>
void find(const Columns& c, size_t lo, size_t hi, int32_t key, float value, const Query& q,
          size_t block, Count count, Emit emit) {
  for (; lo < hi; lo += block) {
    uint32_t left = count(c, lo, std::min(lo + block, hi), key, value, q);
    for (size_t k = lo; left > 0; k++)
      if (near(c.key[k], c.value[k], key, value, q)) {
        emit(k);
        left--;
      }
  }
}

// Large where almost no block holds a match, small in a cell, where many do.
constexpr size_t kWindowBlock = 16384, kCellBlock = 256;

template <class Count>
void nested(const Columns& r, const Columns& s, const Query& q, size_t self, size_t threads,
            Count count, Worker& w) {
  size_t turn = 0;
  in_order(r, s, q.window, [&](bool from_r, size_t i, size_t first, size_t last) {
    if (turn++ % threads != self) return;
    const Columns& probe = from_r ? r : s;
    const Columns& window = from_r ? s : r;
    w.totals.comparisons += int64_t(last - first);
    find(window, first, last, probe.key[i], probe.value[i], q, kWindowBlock, count,
         [&](size_t k) { from_r ? match(w, r, s, i, k) : match(w, r, s, k, i); });
  });
}

// The tuples of one cell in time order; expired ones go in batches.
struct Cell {
  std::vector<int64_t> ts;
  std::vector<int32_t> key;
  std::vector<float> value;
  std::vector<uint32_t> row;
  size_t head = 0;

  void add(const Columns& c, size_t i) {
    ts.push_back(c.ts[i]);
    key.push_back(c.key[i]);
    value.push_back(c.value[i]);
    row.push_back(uint32_t(i));
  }

  Columns columns() const {
    return {int64_t(ts.size()), ts.data(), key.data(), value.data()};
  }

  void expire(int64_t oldest) {
    while (head < ts.size() && ts[head] < oldest) head++;
    if (head < 256 || head * 2 < ts.size()) return;
    const auto n = std::ptrdiff_t(head);
    ts.erase(ts.begin(), ts.begin() + n);
    key.erase(key.begin(), key.begin() + n);
    value.erase(value.begin(), value.begin() + n);
    row.erase(row.begin(), row.begin() + n);
    head = 0;
  }
};

// A grid over `key` whose cells are one band wide, so a probe looks into its own cell and the two
// beside it. Each thread owns a range of R's keys, and keeps what of S can match it.
void grid(const Columns& r, const Columns& s, const Query& q, size_t self, size_t threads,
          Worker& w) {
  if (r.size == 0 || s.size == 0) return;
  const auto [lowest, highest] = std::minmax_element(r.key, r.key + r.size);
  const int64_t span = int64_t{*highest} - *lowest + 1;
  const int64_t from = *lowest + span * int64_t(self) / int64_t(threads);
  const int64_t to = *lowest + span * int64_t(self + 1) / int64_t(threads);
  const int64_t band = q.key_band, width = std::max<int64_t>(band, 1), reach = band > 0 ? 1 : 0;
  const auto cell = [&](int64_t key) { return (key - from + band) / width + 1; };
  const size_t cells = size_t(cell(to + band) + 2);
  std::vector<Cell> cells_r(cells), cells_s(cells);

  in_order(r, s, q.window, [&](bool from_r, size_t i, size_t, size_t) {
    const Columns& probe = from_r ? r : s;
    const int64_t key = probe.key[i], margin = from_r ? 0 : band;
    if (key < from - margin || key >= to + margin) return;
    std::vector<Cell>& opposite = from_r ? cells_s : cells_r;
    const int64_t home = cell(key);
    for (int64_t at = home - reach; at <= home + reach; at++) {
      Cell& c = opposite[size_t(at)];
      c.expire(probe.ts[i] - q.window);
      w.totals.comparisons += int64_t(c.ts.size() - c.head);
      find(c.columns(), c.head, c.ts.size(), probe.key[i], probe.value[i], q, kCellBlock,
           count_vector, [&](size_t k) {
             from_r ? match(w, r, s, i, c.row[k]) : match(w, r, s, c.row[k], i);
           });
    }
    (from_r ? cells_r : cells_s)[size_t(home)].add(probe, i);
  });
}

template <class Body>
Totals on_threads(std::vector<Worker>& workers, Body body) {
  std::vector<std::thread> threads;
  for (size_t t = 0; t < workers.size(); t++)
    threads.emplace_back([&workers, &body, t] {
      Worker own;  // on this thread's stack: counters of two threads never share a cache line
      own.keep = workers[t].keep;
      body(t, own);
      workers[t] = std::move(own);
    });
  for (auto& thread : threads) thread.join();
  Totals sum{};
  for (const Worker& w : workers) {
    sum.matches += w.totals.matches;
    sum.checksum += w.totals.checksum;
    sum.comparisons += w.totals.comparisons;
  }
  return sum;
}
}  // namespace

extern "C" {

// Every tuple against the whole opposite window.
Totals nested_loop(const Columns* r, const Columns* s, const Query* q, int64_t threads,
                   int32_t vectorised) {
  std::vector<Worker> workers(size_t(threads), Worker{});
  return on_threads(workers, [&](size_t self, Worker& w) {
    nested(*r, *s, *q, self, size_t(threads), vectorised ? count_vector : count_scalar, w);
  });
}

// Returns the totals; with `kept` not null it receives a handle to the row numbers of all pairs.
Totals grid_join(const Columns* r, const Columns* s, const Query* q, int64_t threads,
                 void** kept) {
  std::vector<Worker> workers(size_t(threads), Worker{});
  for (Worker& w : workers) w.keep = kept != nullptr;
  const Totals totals = on_threads(
      workers, [&](size_t self, Worker& w) { grid(*r, *s, *q, self, size_t(threads), w); });
  if (kept != nullptr) *kept = new std::vector<Worker>(std::move(workers));
  return totals;
}

// Copies the pairs out, r and s apart, and frees the handle.
void take_pairs(void* kept, int64_t* r, int64_t* s) {
  auto* workers = static_cast<std::vector<Worker>*>(kept);
  for (const Worker& w : *workers)
    for (const Pair& p : w.pairs) {
      *r++ = p.r;
      *s++ = p.s;
    }
  delete workers;
}
}
