import KettleModel

/// What the arguments of a command name: URLs, and the files of Metalinks.
struct NamedSources {
  private(set) var urls: [TransferURL.Parsed] = []
  private(set) var files: [MetalinkFile] = []
  private(set) var problems: [UsageProblem] = []

  init(_ arguments: [String], in context: CommandContext) {
    for argument in arguments {
      if MetalinkFile.isNamed(argument), !argument.contains("://") {
        readMetalink(argument, in: context)
        continue
      }
      switch TransferURL.parse(argument) {
      case .success(let one): urls.append(one)
      case .failure(let why): problems.append(.url(argument, why))
      }
    }
  }

  var count: Int { urls.count + files.count }

  /// The hosts that the transfers begin with.
  var hosts: Set<String> {
    Set(urls.map(\.url.host) + files.compactMap { $0.urls.first?.url.host })
  }

  /// The transfers of the Metalinks.
  func specsOfFiles(_ template: SpecTemplate) -> [TransferSpec] {
    files.compactMap { file in
      guard let best = file.urls.first else { return nil }
      var spec = template.spec(for: best)
      file.complete(&spec, namedBy: .machine)
      return spec
    }
  }

  private mutating func readMetalink(_ path: String, in context: CommandContext) {
    var bytes: [UInt8] = []
    do {
      try ArgumentPath.read(path, from: context.currentDirectory) { piece in
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        return bytes.count <= MetalinkFile.byteCountMax
      }
    } catch {
      problems += error.problems
      return
    }
    do {
      files += try MetalinkFile.read(bytes)
    } catch {
      problems.append(.metalink(path, error))
    }
  }
}
