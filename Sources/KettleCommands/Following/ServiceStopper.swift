import KettleControl
import KettleModel
import KettleSocket
import KettleStarter

/// Stops a service and waits until it has ended.
struct ServiceStopper {
  let context: CommandContext
  let address: ServiceAddress

  enum End: Hashable {
    case stopped, didNotRun, stillRuns
  }

  /// The service syncs running transfers before it ends, which is slow on a slow disk.
  static let budgetMilliseconds: Int64 = 30_000
  private static let stepMilliseconds: Int64 = 50

  func stop() async throws -> End {
    // Looked for first: a service that is ending has no socket any more.
    let process = context.services.process(of: address)
    let service: any ServiceCalling
    do {
      service = try await context.services.connect(
        to: address, client: "kettle daemon stop", startIfNeeded: false)
    } catch let error as ClientError {
      switch error {
      case .notRunning: return .didNotRun
      case .versionMismatch:
        // It does not understand the request, but the signal of a service manager.
        guard let process, process.terminate() else { throw error }
        return await ended(process)
      case .didNotStart, .foreignSocket, .unsafeDirectory, .connectionLost, .notAnswering,
        .foreignHome, .cannotCreateDirectory, .tooManyConnections, .socketPathTooLong:
        throw error
      }
    } catch let error as RemoteError where error.why == .notRunning {
      return .didNotRun
    }
    do {
      _ = try await service.call(StopService.self, .init())
    } catch ClientError.connectionLost {
      // It may end before its reply is sent.
    } catch let error as ControlError where error.code == .stopping {
      // Another client stopped it first.
    } catch {
      await service.close()
      throw error
    }
    await service.close()
    return await ended(process)
  }

  /// The service removes its socket before its process ends. A socket that systemd owns stays. So
  /// the end of the process counts if the process is known.
  private func ended(_ process: (any RunningService)?) async -> End {
    let isGone =
      if let process {
        await waitWhile { !process.hasEnded }
      } else {
        await waitWhile { await isReachable() }
      }
    return isGone ? .stopped : .stillRuns
  }

  /// Returns whether the condition ended within the budget.
  private func waitWhile(_ isRunning: () async -> Bool) async -> Bool {
    let start = context.clock.now().monotonic
    while await isRunning() {
      if context.clock.now().monotonic.milliseconds(since: start) >= Self.budgetMilliseconds {
        return false
      }
      await context.clock.wait(milliseconds: Self.stepMilliseconds)
    }
    return true
  }

  /// The socket disappears before the service does, and may lie elsewhere for a command without
  /// XDG_RUNTIME_DIR. So this checks the socket, which is cheap, and then connects.
  private func isReachable() async -> Bool {
    if context.services.socketExists(of: address) { return true }
    var address = address
    // Do not ask for a password repeatedly: when ssh needs one, the service counts as gone.
    if address.host != nil { address.mayAsk = false }
    do {
      let service = try await context.services.connect(
        to: address, client: "kettle daemon stop", startIfNeeded: false)
      await service.close()
      return true
    } catch ClientError.connectionLost {
      return true
    } catch {
      return false
    }
  }
}

/// Replaces a service of an older version, which went on when the program was updated.
struct ServiceUpdate {
  let context: CommandContext

  /// Returns a service of this version, or the older one while that is downloading. Says what it
  /// did, and why not.
  ///
  /// A stop loses no byte: what is durable is recorded, and the new service continues it.
  func apply(
    to service: any ServiceCalling, for client: ClientIdentity
  ) async throws -> any ServiceCalling {
    guard context.host == nil, context.machines.isEmpty, let version = service.serviceVersion,
      ProductVersion.isNewer(than: version)
    else { return service }
    let counts = try await service.call(ServiceStatus.self, Nothing()).totals.counts
    guard counts[.running, default: 0] == 0, counts[.verifying, default: 0] == 0 else {
      context.console.printNote(Sentences.olderService(version))
      return service
    }
    await service.close()
    let address = context.withoutFleet.address
    let end = try await ServiceStopper(context: context, address: address).stop()
    let next = try await context.services.connect(
      to: context.address, client: client, startIfNeeded: true)
    if end != .stillRuns { context.console.printNote(Sentences.replacedService(version)) }
    return next
  }

  /// Does the same for a service that runs already, if one does.
  func applyIfRunning(for client: ClientIdentity) async {
    guard context.host == nil, context.machines.isEmpty,
      let service = try? await context.services.connect(
        to: context.address, client: client, startIfNeeded: false)
    else { return }
    await (try? apply(to: service, for: client))?.close()
  }
}
