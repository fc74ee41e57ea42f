import KettleModel

/// Compares files on the disk with a manifest, without the service.
struct ManifestCheck {
  /// A file to compare.
  struct Task: Hashable {
    /// As it is shown.
    var name: String
    /// Absolute.
    var path: String
    var entry: Manifest.Entry
  }

  /// As typed.
  let manifest: String
  /// A directory or files, as typed.
  let paths: [String]
  let printsJSON: Bool
  let context: CommandContext

  /// Compares every file and prints what it found.
  func run() throws -> ExitCode {
    let tasks = try tasks(in: try read())
    var progress = CommandProgress(
      on: context.console, at: context.clock.now().monotonic, endsBeforeOutput: true)
    var printer = printsJSON ? try JSONArrayPrinter(on: context.console) : nil
    var counts = CheckCounts()
    for task in tasks {
      var readByteCount: Int64 = 0
      let standing = context.compareWithManifest(task.path, task.entry) { count in
        readByteCount += count
        progress.show(
          .compared(readByteCount, of: task.entry.byteCount, name: task.name),
          at: context.clock.now().monotonic)
        return true
      }
      progress.end()
      counts.count(standing, task.entry)
      if printer != nil {
        try printer?.print([standing.json(of: task)])
      } else {
        try context.console.printLine(Sentences.of(standing, of: task))
      }
    }
    try printer?.end()
    if printer == nil, tasks.count > 1 { context.console.printNote(Sentences.of(counts)) }
    return counts.wrongCount == 0 ? .done : .transferFailed
  }

  private func read() throws(UsageError) -> Manifest {
    var bytes: [UInt8] = []
    try ArgumentPath.read(manifest, from: context.currentDirectory) { piece in
      piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
      return bytes.count <= Manifest.byteCountMax
    }
    do throws(ManifestProblem) { return try Manifest.read(bytes) } catch {
      throw UsageError(.manifest(manifest, error))
    }
  }

  // MARK: Files

  private func tasks(in manifest: Manifest) throws(UsageError) -> [Task] {
    let places = try places()
    if let first = places.first, places.count > 1 || !ArgumentPath.isDirectory(first.path) {
      var tasks: [Task] = []
      for place in places { tasks.append(try task(for: place, in: manifest)) }
      return tasks
    }
    let list = try context.currentDirectory.absolute(self.manifest)
    let directory = places.first?.path ?? Self.directory(of: list)
    let base = directory.hasSuffix("/") ? directory : directory + "/"
    var tasks: [Task] = []
    for entry in manifest.entries {
      guard let path = entry.path?.text ?? Self.nameless(list) else {
        throw UsageError(.manifest(self.manifest, .nameless))
      }
      tasks.append(Task(name: path, path: base + path, entry: entry))
    }
    return tasks
  }

  private func places() throws(UsageError) -> [(name: String, path: String)] {
    var places: [(name: String, path: String)] = []
    for path in paths { places.append((path, try context.currentDirectory.absolute(path))) }
    return places
  }

  /// A file belongs to the entry whose path its own path ends with, or to the only one with its
  /// name. A digest without a name belongs to any file.
  private func task(
    for place: (name: String, path: String), in manifest: Manifest
  ) throws(UsageError) -> Task {
    let components = place.path.split(separator: "/").map(String.init)
    let byPath = manifest.entries.filter {
      components.suffix($0.path?.components.count ?? .max) == $0.path?.components[...]
    }.max { ($0.path?.components.count ?? 0) < ($1.path?.components.count ?? 0) }
    let byName = manifest.entries.filter { $0.path == nil || $0.path?.name == components.last }
    guard let entry = byPath ?? (byName.count == 1 ? byName.first : nil) else {
      throw UsageError(.manifest(self.manifest, .notListed(place.name)))
    }
    return Task(name: place.name, path: place.path, entry: entry)
  }

  private static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
  }

  /// The file that a list with a digest alone lies beside: `disk.iso` for `disk.iso.sha256`.
  private static func nameless(_ list: String) -> String? {
    let name = list.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
      Checksum.Algorithm(rawValue: name[dot...].dropFirst().lowercased()) != nil
    else { return nil }
    return String(name[..<dot])
  }
}
