/// Finds the word that was probably meant.
package enum NearestWord {
  /// Returns the known word that differs least from `word`; nil when none is close.
  package static func of(_ word: String, in known: [String]) -> String? {
    // A long word is far from every name, and the edit distance of a long text is slow to compute.
    guard word.count <= 60 else { return nil }
    let distances = known.map { ($0, editDistance(Array(word.lowercased()), Array($0))) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= 2 else { return nil }
    return best.0
  }

  /// The Levenshtein distance: how many letters to insert, delete or replace.
  private static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let cost = letter == right[column] ? diagonal : diagonal + 1
        diagonal = row[column + 1]
        row[column + 1] = min(cost, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
