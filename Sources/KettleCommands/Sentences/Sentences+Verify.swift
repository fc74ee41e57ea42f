import KettleDashboard
import KettleModel

/// Sentences about files that were compared with a manifest.
extension Sentences {
  /// How many damaged places are named.
  private static let rangeCountMax = 8

  static func of(_ standing: ManifestStanding, of task: ManifestCheck.Task) -> String {
    let name = task.name.sanitizedForDisplay(limit: 400)
    return switch standing {
    case .missing: "\(name): missing"
    case .notAFile: "\(name): not a file"
    case .unreadable(let detail): "\(name): cannot be read (\(detail))"
    case .read(let found) where standing.matches(task.entry):
      "\(name): right (\(proof(task.entry, found.byteCount)))"
    case .read(let found): "\(name): \(problems(found, task.entry).joined(separator: "; "))"
    }
  }

  /// What shows that a file is right.
  private static func proof(_ entry: Manifest.Entry, _ byteCount: Int64) -> String {
    var proofs = entry.checksums.map(\.algorithm.rawValue)
    if let pieces = entry.pieces {
      let count = CountText.text(pieces.count) + (pieces.count == 1 ? " piece" : " pieces")
      let bytes = ByteText.progress(pieces.covered.byteCount, of: pieces.byteCount)
      proofs.append(pieces.coversAll ? count : "\(count) with \(bytes)")
    }
    if proofs.isEmpty { proofs = ["only its size is known"] }
    return (proofs + [ByteText.size(byteCount)]).joined(separator: ", ")
  }

  private static func problems(
    _ found: ManifestStanding.Comparison, _ entry: Manifest.Entry
  ) -> [String] {
    var problems: [String] = []
    let known = entry.byteCount ?? found.byteCount
    if found.byteCount < known {
      let missing = ByteText.size(known - found.byteCount)
      problems.append(
        "its last \(missing) are missing (\(found.byteCount) of \(known) bytes are there)")
    } else if found.byteCount > known {
      let excess = ByteText.size(found.byteCount - known)
      problems.append("it is \(excess) too long (\(found.byteCount) bytes in place of \(known))")
    }
    if !found.damaged.isEmpty { problems.append(damaged(found.damaged)) }
    for checksum in found.wrong {
      problems.append("its \(checksum.algorithm.rawValue) is not \(checksum.hex)")
    }
    return problems
  }

  /// For example `256 KiB are damaged: bytes 1048576 to 1310719 (256 KiB at 1.0 MiB)`.
  static func damaged(_ ranges: ByteRangeSet) -> String {
    let named = ranges.ranges.prefix(rangeCountMax).map { range in
      "bytes \(range.lower) to \(range.lastByte) "
        + "(\(ByteText.size(range.byteCount)) at \(ByteText.size(range.lower)))"
    }
    let rest = ranges.ranges.count - named.count
    return "\(ByteText.size(ranges.byteCount)) are damaged: " + named.joined(separator: ", ")
      + (rest > 0 ? " and \(CountText.text(rest)) more places" : "")
  }

  /// For several files.
  static func of(_ counts: CheckCounts) -> String {
    let words = [
      (counts.rightCount, "right"), (counts.damagedCount, "damaged"),
      (counts.missingCount, "missing"), (counts.unreadableCount, "not readable"),
    ]
    return words.filter { $0.0 > 0 }.map { "\(CountText.text($0.0)) \($0.1)" }
      .joined(separator: ", ")
  }

  static func of(_ problem: ManifestProblem, of path: String) -> String {
    let name = quoted(path)
    return switch problem {
    case .tooLarge: "\(name) is longer than \(Manifest.byteCountMax >> 20) MiB; check the path"
    case .torrent(let why): of(why, of: path)
    case .metalink(let why): of(why, path: path)
    case .nameless:
      "\(name) has a checksum without the name of a file; give the file after it"
    case .notListed(let file):
      "\(name) says nothing about \(quoted(file)); check that it is the right one"
    case .empty: "There is no checksum in \(name); check that it is the right file"
    case .outside(let file):
      "\(name) lists \(quoted(file)), which is outside the directory; "
        + "use relative paths without \"..\""
    }
  }

  static func of(_ problem: TorrentProblem, of path: String) -> String {
    let name = "The torrent \(quoted(path))"
    return switch problem {
    case .tooLarge:
      "\(name) is longer than \(TorrentFile.byteCountMax >> 20) MiB; use another program for it"
    case .encoding, .notTorrent, .empty, .path, .pieces:
      "\(name) cannot be used: \(problem.words); download it again"
    case .tooManyFiles:
      "\(name) has more than \(TorrentFile.fileCountMax) files; use another program for it"
    case .noSeed:
      "\(name) names no web server, and Kettle has no peers; use another program for it"
    }
  }
}

/// Sentences about finished files and their bytes.
extension Sentences {
  static func compared(_ row: TransferSnapshot, _ check: FileCheck) -> String {
    let title = row.shownTitle.sanitizedForDisplay(limit: 200)
    return "\(row.id)  \(title): \(FileCheckWords.text(check, size: row.bytesExpected))"
  }

  /// The summary of several comparisons.
  static func compared(
    _ count: Int, _ counts: [FileCheck.Finding: Int], refusedCount: Int
  ) -> String {
    let findings: [(FileCheck.Finding, String)] = [
      (.intact, "intact"), (.unproved, "with nothing to compare"), (.damaged, "damaged"),
      (.edited, "edited"), (.missing, "missing"), (.unreadable, "unreadable"),
    ]
    var parts = findings.compactMap { finding, word in
      counts[finding].map { "\(CountText.text($0)) \(word)" }
    }
    if refusedCount > 0 { parts.append("\(CountText.text(refusedCount)) without a file") }
    let files = count == 1 ? "1 file" : CountText.text(count) + " files"
    return "Compared \(files): " + (parts.isEmpty ? "none" : parts.joined(separator: ", "))
  }

  static func notRepaired(_ id: TransferID, _ failure: TransferFailure) -> String {
    "Transfer \(id) is not repaired: \(failure.sentence)"
  }

  static func damagedAgain(_ id: TransferID) -> String {
    "Transfer \(id) was repaired and is damaged again: its disk may be failing"
  }

  static func nothingToCompare(_ id: TransferID) -> String {
    "Transfer \(id) has no finished file of Kettle's to compare"
  }
}
