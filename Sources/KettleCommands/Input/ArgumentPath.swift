import Glibc
import KettleModel
import KettleSystem

/// Checks paths from the command line against the disk.
enum ArgumentPath {
  /// Returns the absolute path, without links and dots, of a directory in which files can be
  /// created.
  static func writableDirectory(
    _ path: String, from directory: WorkingDirectory
  ) -> Result<String, UsageError> {
    let absolute: String
    do throws(UsageError) { absolute = try directory.absolute(path) } catch {
      return .failure(error)
    }
    guard let (resolved, mode) = resolve(absolute) else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      return .failure(
        UsageError(
          .path(
            isMissing
              ? .directoryMissing(path) : .directoryUnwritable(path, detail: errnoText()))))
    }
    guard mode & S_IFMT == S_IFDIR else {
      return .failure(UsageError(.path(.notADirectory(path))))
    }
    guard access(resolved, W_OK | X_OK) == 0 else {
      return .failure(UsageError(.path(.directoryUnwritable(path, detail: errnoText()))))
    }
    return .success(resolved)
  }

  /// A directory for files, by its absolute path without links and dots.
  enum UsableDirectory: Hashable {
    case existing(String)
    /// Does not exist; the nearest existing directory above it is writable.
    case missing(String)
  }

  /// Returns a directory in which files can be created, now or once it is made.
  static func directoryToUse(
    _ path: String, from directory: WorkingDirectory
  ) -> Result<UsableDirectory, UsageError> {
    var above: String
    do throws(UsageError) { above = try directory.absolute(path) } catch { return .failure(error) }
    var missing: [Substring] = []
    while resolve(above) == nil, errno == ENOENT, let slash = above.lastIndex(of: "/") {
      let name = above[slash...].dropFirst()
      // Beyond a directory that does not exist, `..` has no meaning.
      if name == ".." || name.unicodeScalars.contains(where: \.isControl) {
        return .failure(UsageError(.path(.directoryMissing(path))))
      }
      if !name.isEmpty, name != "." { missing.insert(name, at: 0) }
      above = slash == above.startIndex ? "/" : String(above[..<slash])
    }
    if missing.isEmpty {
      return writableDirectory(path, from: directory).map { .existing($0) }
    }
    switch writableDirectory(above, from: "/") {
    case .success(let existing):
      let root = existing == "/" ? "" : existing
      return .success(.missing(([root] + missing.map(String.init)).joined(separator: "/")))
    case .failure(let error):
      guard case .path(.directoryUnwritable(_, let detail))? = error.problems.first else {
        return .failure(error)
      }
      return .failure(UsageError(.path(.directoryNotMade(path, detail: detail))))
    }
  }

  /// Throws when something other than a file is where a file is to be saved. Nothing is saved among
  /// the devices: what they are called is what they are.
  ///
  /// - Parameter directory: without links.
  static func checkPlace(of name: String, in directory: String) throws(UsageError) {
    let path = directory.hasSuffix("/") ? directory + name : directory + "/" + name
    var status = stat()
    let isThere = stat(path, &status) == 0
    let isFile = [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    let isAmongDevices = directory == "/dev" || (directory + "/").hasPrefix("/proc/")
    guard isAmongDevices || isThere && !isFile else { return }
    throw UsageError(.path(.notAPlaceForFiles(path)))
  }

  /// Whether the path is a regular file and no link.
  static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether the path is a directory, or a link to one.
  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes a directory and those above it that are missing.
  static func makeDirectory(_ path: String) throws(UsageError) {
    var made = ""
    for name in path.split(separator: "/") {
      made += "/" + name
      if mkdir(made, 0o777) == 0 || errno == EEXIST { continue }
      throw UsageError(.path(.directoryNotMade(path, detail: errnoText())))
    }
  }

  /// Returns the absolute path of a readable file.
  static func readableFile(
    _ path: String, from directory: WorkingDirectory
  ) -> Result<String, UsageError> {
    let absolute: String
    do throws(UsageError) { absolute = try directory.absolute(path) } catch {
      return .failure(error)
    }
    guard let (resolved, mode) = resolve(absolute) else {
      return .failure(UsageError(.path(.certificateUnreadable(path, detail: errnoText()))))
    }
    guard mode & S_IFMT == S_IFREG else {
      return .failure(UsageError(.path(.certificateNotAFile(path))))
    }
    guard access(resolved, R_OK) == 0 else {
      return .failure(UsageError(.path(.certificateUnreadable(path, detail: errnoText()))))
    }
    return .success(resolved)
  }

  /// Returns the whole content of a file or pipe, or its beginning.
  ///
  /// - Parameters:
  ///   - path: absolute.
  ///   - byteCountMax: more is an error.
  ///   - continues: whether more is needed after these bytes.
  static func contents(
    of path: String, byteCountMax: Int, while continues: ([UInt8]) -> Bool = { _ in true }
  ) throws(UsageProblem.ListProblem) -> [UInt8] {
    var all: [UInt8] = []
    try open(path) { piece in
      piece.withUnsafeBufferPointer { all.append(contentsOf: $0) }
      return all.count <= byteCountMax && continues(all)
    }
    if all.count > byteCountMax, continues(all) { throw .tooLarge(byteCountMax: byteCountMax) }
    return all
  }

  /// Passes the content of a file or pipe to `body`, piece by piece, until the end or until `body`
  /// returns false.
  static func read(
    _ path: String, from directory: WorkingDirectory, _ body: (Span<UInt8>) -> Bool
  ) throws(UsageError) {
    let absolute = try directory.absolute(path)
    do throws(UsageProblem.ListProblem) {
      try open(absolute, body)
    } catch {
      throw UsageError(.list(error, name: path))
    }
  }

  private static func open(
    _ path: String, _ body: (Span<UInt8>) -> Bool
  ) throws(UsageProblem.ListProblem) {
    // Without O_NONBLOCK, opening a FIFO would silently wait for its writer.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    guard let file = OwnedDescriptor(opened: Glibc.open(path, flags)) else {
      throw .unreadable(detail: errnoText())
    }
    try read(file.number, body)
  }

  /// Whether a program has a FIFO open for writing.
  private enum FIFOWriter {
    case unknown, present
    /// No writer appeared in time.
    case missing
  }

  /// How long to wait for a FIFO's writer.
  private static let writerMilliseconds: Int32 = 500

  /// Reads from a non-blocking descriptor.
  private static func read(
    _ descriptor: Int32, _ body: (Span<UInt8>) -> Bool
  ) throws(UsageProblem.ListProblem) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(detail: errnoText()) }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR { throw .directory }
    if kind == S_IFBLK { throw .device }
    let isDevice = kind == S_IFCHR && isatty(descriptor) == 0
    var writer = kind == S_IFIFO ? FIFOWriter.unknown : .present
    var piece = [UInt8](repeating: 0, count: 262_144)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count > 0 {
        // Such as /dev/zero, which has no end. /dev/null has no content.
        if isDevice { throw .device }
        writer = .present
        guard body(piece.span.extracting(first: count)) else { return }
      } else if count == 0 {
        // A FIFO that no program has open for writing reports the end (pipe(7)).
        switch writer {
        case .present: return
        case .missing: throw .fifoWithoutWriter
        case .unknown:
          var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          writer = poll(&entry, 1, writerMilliseconds) == 0 ? .missing : .present
        }
      } else if errno == EAGAIN, isDevice || kind == S_IFREG {
        // A log of the kernel would be waited for without end.
        throw .device
      } else if errno == EAGAIN {
        writer = .present
        _ = fcntl(descriptor, F_SETFL, 0)
      } else if errno != EINTR {
        throw .unreadable(detail: errnoText())
      }
    }
  }

  private static func resolve(_ path: String) -> (path: String, mode: mode_t)? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    // What a link leads to may have a name that is no text; the link itself has one.
    let resolved = String(validatingCString: pointer) ?? path
    var status = stat()
    guard stat(resolved, &status) == 0 else { return nil }
    return (resolved, status.st_mode)
  }
}
