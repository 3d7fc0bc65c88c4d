/** The order of groups of specs, as their names sort: end-to-end ones first and the short ones without engines last, which evens out the workers' ends. */
module.exports = class GroupSequencer {
  sort(tests) {
    return [...tests].sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** Jest keeps how long each file took, to sort by it; names decide here. */
  cacheResults() {}
};
