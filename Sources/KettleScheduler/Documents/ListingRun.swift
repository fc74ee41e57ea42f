import KettleCollections
import KettleModel

/// The list of a collection while its documents are read, one after the other.
///
/// Every promise about a document is kept here, whatever an adapter returns: documents and files
/// are bounded in number, no document is read twice, URLs lead only where the server of the
/// document may send anyone, only chosen files count, and no two files have one path, not even on a
/// file system that folds case.
struct ListingRun: Sendable, Hashable {
  static let documentCountMax = 100_000
  static let memberCountMax = 1_000_000

  /// The chain for requests to documents: they may lead only where a redirect of their servers may.
  private(set) var redirects: RedirectChain
  private(set) var list = CollectionList()
  /// Those of the last document, which the store does not have yet, and the number of the first.
  private(set) var unrecorded: (from: Int64, members: [ListedMember])?

  /// What the server asks programs not to fetch, once it is known.
  private(set) var rules: RobotRules?

  private let choice: MemberChoice
  /// The next one last.
  private var pending: [ListingRequest] = []
  private var documents: Set<TransferURL> = []
  /// The folded paths of all files, by their hashes: a million paths would fill the memory.
  private var paths: Set<Int> = []
  /// The URLs of the files, in the same way.
  private var urls: Set<Int> = []
  /// The next number for another file with a path.
  private var numbers: [Int: Int] = [:]

  /// - Parameter rules: the document that is read before the first one; nil for none.
  init(
    _ first: ListingRequest, rules: ListingRequest? = nil, choice: MemberChoice,
    redirects: RedirectChain
  ) {
    self.choice = choice
    self.redirects = redirects
    pending = [first] + (rules.map { [$0] } ?? [])
    documents = Set(pending.map(\.url))
  }

  static func == (left: Self, right: Self) -> Bool {
    left.pending == right.pending && left.list == right.list && left.redirects == right.redirects
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(pending)
    hasher.combine(list)
  }

  /// The document to read next; nil when the list is complete.
  var next: ListingRequest? { pending.last }

  /// Takes what a document says. Returns what is wrong with it, for the detail of a failure.
  mutating func receive(
    _ page: ListingPage, from url: TransferURL, _ chain: RedirectChain
  ) -> String? {
    // Where rules come from says nothing about the files.
    if pending.removeLast().form == .rules {
      rules = page.rules
      return nil
    }
    redirects = RedirectChain(
      count: 0, minimumReach: max(redirects.minimumReach, chain.minimumReach))
    list.reach = redirects.minimumReach
    list.version = page.version ?? list.version
    list.refusedCount += page.refusedCount
    let first = Int64(list.memberCount)
    let members = page.members.compactMap { member -> ListedMember? in
      let mayName = { [redirects] other in
        url.permitsDocument(
          toName: other, reach: redirects.minimumReach, member.checksum != nil)
      }
      guard mayName(member.url) else {
        list.refusedCount += 1
        return nil
      }
      return distinct(member.keepingMirrors(where: mayName))
    }
    guard list.memberCount + members.count <= Self.memberCountMax else {
      return "it has more than \(Self.memberCountMax) files"
    }
    for member in members { list.add(member) }
    unrecorded = (first, members)
    // The first one of the page is read next.
    for request in page.further.reversed() where choice.enters(depth: request.depth) {
      guard permits(request.url, from: url), documents.insert(request.url).inserted else {
        continue
      }
      pending.append(request)
    }
    return documents.count <= Self.documentCountMax
      ? nil : "it has more than \(Self.documentCountMax) documents"
  }

  /// Returns the last document's files, which are on their way to the store.
  mutating func takeUnrecorded() -> (from: Int64, members: [ListedMember])? {
    defer { unrecorded = nil }
    return unrecorded
  }

  private func permits(_ document: TransferURL, from url: TransferURL) -> Bool {
    // The directories of a server of files.
    if document.origin == url.origin, url.scheme.family != .http { return true }
    return switch RedirectPolicy.decide(location: document.text, from: url, redirectCount: 0) {
    case .follow(let target): target == document
    case .refuse: false
    }
  }

  /// Returns a file with a path that no other has; nil for one that is not chosen or was listed
  /// before.
  private mutating func distinct(_ member: ListedMember) -> ListedMember? {
    guard choice.includes(member.path), member.byteCount ?? 0 >= 0 else { return nil }
    if paths.insert(member.path.folded.hashValue).inserted {
      urls.insert(member.url.hashValue)
      return member
    }
    guard urls.insert(member.url.hashValue).inserted else { return nil }
    let folded = member.path.folded.hashValue
    for number in numbers[folded, default: 2]...Int.max {
      guard number <= FileName.numberMax, let path = member.path.numbered(number) else { break }
      guard paths.insert(path.folded.hashValue).inserted else { continue }
      numbers[folded] = number + 1
      var member = member
      member.path = path
      return member
    }
    list.refusedCount += 1
    return nil
  }
}

/// What happens to a collection whose list is complete.
package enum CollectionEvent: Sendable {
  /// Every member is complete or has failed. `directory` is where they are.
  case membersEnded(failedCount: Int, in: String)
  /// The store has taken over what a later list says. `fetches` is whether files are missing, which
  /// the report does not show after a crash.
  case synced(CollectionList, SyncReport, fetches: Bool)
  /// The user wants its list to be read again this often; nil for never.
  case syncsEvery(Int64?)
  /// The user has chosen these of its files.
  case chosen(MemberSum)
}

extension TransferFacts {
  /// The first document of a list that is still to be read; nil for any other transfer.
  var neededListing: ListingDocument? {
    guard let collection = spec.options.collection, collection.list == nil,
      let run = listing ?? newListing(of: collection), let next = run.next
    else { return nil }
    return ListingDocument(next, of: collection.source, rules: run.rules)
  }

  private func newListing(of collection: CollectionRequest) -> ListingRun? {
    guard let adapter = collection.source.adapter() else { return nil }
    return ListingRun(
      adapter.first, rules: collection.ignoresRobots == true ? nil : adapter.rules,
      choice: collection.choice, redirects: RedirectChain(to: spec.source))
  }

  /// Uses a document of a list. The next one follows, or the members when it was the last.
  mutating func useListing(
    _ read: Result<ListingPage, ArrivedDocument.Unusable>, from url: TransferURL,
    _ chain: RedirectChain
  ) -> TransferMachine.AfterEnding {
    guard let collection = spec.options.collection, collection.list == nil,
      var run = listing ?? newListing(of: collection)
    else { return .failed(TransferFailure(.internalProblem, on: urlText)) }
    do throws(ArrivedDocument.Unusable) {
      let page = try read.get()
      if let detail = run.receive(page, from: url, chain) { throw .init(detail: detail) }
      if run.next == nil, run.list.memberCount == 0 {
        let detail =
          run.list.refusedCount == 0
          ? "it has no file that is wanted"
          : "all of its files were left out, because of their paths, their URLs or robots.txt"
        throw .init(detail: detail)
      }
    } catch {
      // The next start reads the list from its beginning.
      listing = nil
      return .failed(TransferFailure(.listUnusable, on: url.text, detail: error.detail))
    }
    listing = run
    if run.next != nil { return .request(firstRequest) }
    spec.options.collection?.list = run.list
    return collection.pausesWhenListed == true ? .paused : .waiting(waitingForMembers)
  }

  /// Changes a collection whose list is complete; nothing happens to any other transfer.
  mutating func take(
    _ event: CollectionEvent, in state: TransferMachine.State, at now: Moment
  ) -> Transition {
    guard let collection = spec.options.collection, let list = collection.list else { return .none }
    switch event {
    case .membersEnded(let failedCount, let directory):
      guard state.waitsForMembers else { return .none }
      return end(collection, list, failedCount: failedCount, in: directory, at: now)
    case .synced(let list, let report, let fetches):
      spec.options.collection?.list = list
      spec.options.collection?.lastSync = report
      return fetches ? fetchMembers(in: state) : .none
    case .syncsEvery(let milliseconds):
      spec.options.collection?.syncsEveryMilliseconds = milliseconds
      return .none
    case .chosen(let sum):
      spec.options.collection?.list?.take(sum)
      return .none
    }
  }

  /// Waits for members that have no transfer yet. A collection that is paused or queued does so
  /// when it is its turn.
  private mutating func fetchMembers(in state: TransferMachine.State) -> Transition {
    switch state {
    case .completed, .failed:
      finishedAt = nil
      finishedFile = nil
      return .entering(.waiting(waitingForMembers))
    case .waiting where state.waitsForMembers:
      return .entering(.waiting(waitingForMembers), [.addMembers(id)])
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .removed:
      return .none
    }
  }

  /// Ends the wait of a collection.
  private mutating func end(
    _ collection: CollectionRequest, _ list: CollectionList, failedCount: Int,
    in directory: String, at now: Moment
  ) -> Transition {
    finishedAt = now.wall
    guard failedCount == 0 else {
      return .entering(
        .failed(
          TransferFailure(
            .membersFailed, on: collection.source.name,
            detail: "\(failedCount) of \(list.memberCount)")))
    }
    finishedFile = FinishedFile(path: directory, identity: nil)
    return .entering(.completed)
  }

  /// The wait of a collection whose list is complete.
  var waitingForMembers: TransferMachine.Waiting {
    let name = spec.options.collection?.source.name ?? urlText
    return .forEvent(.members, TransferFailure(.membersUnfinished, on: name))
  }
}
