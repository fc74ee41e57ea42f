import FoundationEssentials
import KettleModel

/// Every decoded request of a client; the service switches over it exhaustively.
package enum ControlRequest: Sendable, Hashable {
  case hello(Hello.Params)
  case add(AddTransfers.Params)
  case addURLs(AddURLs.Params)
  case list(Viewport)
  case listIDs(ListIDs.Params)
  case find(RowSearch)
  case describe(DescribeTransfer.Params)
  case control(ControlTransfers.Params)
  case relink(RelinkTransfer.Params)
  case begin(BeginTransfer.Params)
  case limit(LimitSpeed.Params)
  case move(MoveTransfers.Params)
  case prioritize(PrioritizeTransfers.Params)
  case assign(AssignTransfers.Params)
  case listQueues
  case clear
  case news
  case sum(SumFinished.Params)
  case findURLs(FindURLs.Params)
  case follow(FollowTransfer.Params)
  case verify(VerifyTransfers.Params)
  case syncCollection(SyncCollection.Params)
  case compareCollection(CompareCollection.Params)
  case listMembers(ListMembers.Params)
  case chooseMembers(ChooseMembers.Params)
  case reset
  case listHosts
  case resetHost(ResetHost.Params)
  case forgetHost(ForgetHost.Params)
  case listBin
  case undo(UndoAction.Params)
  case emptyBin
  case subscribe(Viewport)
  case watch(WatchEvents.Params)
  case status
  case stop
  case reload(ReloadConfiguration.Params)
  case describeRPC
  case attachSession(AttachSession.Params)
  case listSessions
  case finishEvents(FinishEvents.Params)
  case adoptSession(AdoptSession.Params)
  case dropSession(DropSession.Params)
  case cancelTasks(CancelTasks.Params)
  case acknowledgeTasks(AcknowledgeTasks.Params)
  case updateTask(UpdateTask.Params)
  case answerChallenge(AnswerChallenge.Params)
  case fleet(FleetRequest)

  /// Whether it adds transfers.
  package var adds: Bool {
    switch self {
    case .add, .addURLs: true
    case .hello, .list, .listIDs, .find, .describe, .control, .relink, .begin, .limit, .move,
      .prioritize,
      .assign, .listQueues, .clear, .news, .sum, .findURLs, .follow, .verify, .syncCollection,
      .compareCollection, .listMembers, .chooseMembers, .reset, .listHosts, .resetHost, .forgetHost,
      .listBin,
      .undo, .emptyBin, .subscribe, .watch, .status, .stop, .reload, .describeRPC, .attachSession,
      .listSessions, .finishEvents, .adoptSession, .dropSession, .cancelTasks, .acknowledgeTasks,
      .updateTask, .answerChallenge, .fleet:
      false
    }
  }

  /// The name of its method in the protocol.
  package var method: String {
    switch self {
    case .hello: Hello.name
    case .add: AddTransfers.name
    case .addURLs: AddURLs.name
    case .list: ListTransfers.name
    case .listIDs: ListIDs.name
    case .find: FindTransfer.name
    case .describe: DescribeTransfer.name
    case .control: ControlTransfers.name
    case .relink: RelinkTransfer.name
    case .begin: BeginTransfer.name
    case .limit: LimitSpeed.name
    case .move: MoveTransfers.name
    case .prioritize: PrioritizeTransfers.name
    case .assign: AssignTransfers.name
    case .listQueues: ListQueues.name
    case .clear: ClearFinished.name
    case .news: ReportNews.name
    case .sum: SumFinished.name
    case .findURLs: FindURLs.name
    case .follow: FollowTransfer.name
    case .verify: VerifyTransfers.name
    case .syncCollection: SyncCollection.name
    case .compareCollection: CompareCollection.name
    case .listMembers: ListMembers.name
    case .chooseMembers: ChooseMembers.name
    case .reset: ResetTransfers.name
    case .listHosts: ListHosts.name
    case .resetHost: ResetHost.name
    case .forgetHost: ForgetHost.name
    case .listBin: ListBin.name
    case .undo: UndoAction.name
    case .emptyBin: EmptyBin.name
    case .subscribe: SubscribeViewport.name
    case .watch: WatchEvents.name
    case .status: ServiceStatus.name
    case .stop: StopService.name
    case .reload: ReloadConfiguration.name
    case .describeRPC: DescribeRPC.name
    case .attachSession: AttachSession.name
    case .listSessions: ListSessions.name
    case .finishEvents: FinishEvents.name
    case .adoptSession: AdoptSession.name
    case .dropSession: DropSession.name
    case .cancelTasks: CancelTasks.name
    case .acknowledgeTasks: AcknowledgeTasks.name
    case .updateTask: UpdateTask.name
    case .answerChallenge: AnswerChallenge.name
    case .fleet: ManageFleet.name
    }
  }
}

extension ControlRequest {
  /// Reads the parameters of the method called `method`; returns nil if there is no such method.
  /// Throws a `ControlError` for parameters out of their bounds.
  ///
  /// Parameters sent to a method without parameters are ignored.
  static func read<Key: CodingKey>(
    method: String, from container: KeyedDecodingContainer<Key>, paramsKey: Key
  ) throws -> ControlRequest? {
    func params<Params: Decodable>() throws -> Params {
      let params = try container.decode(Params.self, forKey: paramsKey)
      if let problem = (params as? any BoundedParams)?.problem { throw problem }
      return params
    }
    return switch method {
    case Hello.name: .hello(try params())
    case AddTransfers.name: .add(try params())
    case AddURLs.name: .addURLs(try params())
    case ListTransfers.name: .list(try params())
    case ListIDs.name: .listIDs(try params())
    case FindTransfer.name: .find(try params())
    case DescribeTransfer.name: .describe(try params())
    case ControlTransfers.name: .control(try params())
    case RelinkTransfer.name: .relink(try params())
    case BeginTransfer.name: .begin(try params())
    case LimitSpeed.name: .limit(try params())
    case MoveTransfers.name: .move(try params())
    case PrioritizeTransfers.name: .prioritize(try params())
    case AssignTransfers.name: .assign(try params())
    case ListQueues.name: .listQueues
    case ClearFinished.name: .clear
    case ReportNews.name: .news
    case SumFinished.name: .sum(try params())
    case FindURLs.name: .findURLs(try params())
    case FollowTransfer.name: .follow(try params())
    case VerifyTransfers.name: .verify(try params())
    case SyncCollection.name: .syncCollection(try params())
    case CompareCollection.name: .compareCollection(try params())
    case ListMembers.name: .listMembers(try params())
    case ChooseMembers.name: .chooseMembers(try params())
    case ResetTransfers.name: .reset
    case ListHosts.name: .listHosts
    case ResetHost.name: .resetHost(try params())
    case ForgetHost.name: .forgetHost(try params())
    case ListBin.name: .listBin
    case UndoAction.name: .undo(try params())
    case EmptyBin.name: .emptyBin
    case SubscribeViewport.name: .subscribe(try params())
    case WatchEvents.name: .watch(try params())
    case ServiceStatus.name: .status
    case StopService.name: .stop
    // Older clients send no parameters.
    case ReloadConfiguration.name:
      .reload(
        try container.decodeIfPresent(ReloadConfiguration.Params.self, forKey: paramsKey)
          ?? .init())
    case DescribeRPC.name: .describeRPC
    case AttachSession.name: .attachSession(try params())
    case ListSessions.name: .listSessions
    case FinishEvents.name: .finishEvents(try params())
    case AdoptSession.name: .adoptSession(try params())
    case DropSession.name: .dropSession(try params())
    case CancelTasks.name: .cancelTasks(try params())
    case AcknowledgeTasks.name: .acknowledgeTasks(try params())
    case UpdateTask.name: .updateTask(try params())
    case AnswerChallenge.name: .answerChallenge(try params())
    case ManageFleet.name: .fleet(try params())
    default: nil
    }
  }
}
